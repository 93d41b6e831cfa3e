//! What `dwsim show ID` says of each row of the theory: where it comes from, what it says, under which premises, what it
//! does not say, and where it is run.

use dwsim_reports::text::paragraph;

/// A row of the theory.
pub struct Row {
    /// Its name, and that of its scenario.
    pub id: &'static str,
    section: &'static str,
    says: &'static str,
    premises: &'static str,
    not_said: &'static str,
    run: &'static str,
}

impl Row {
    /// The row in a few sentences, and the command that runs it.
    pub fn text(&self) -> String {
        let head = format!("{}: section {}\n", self.id, self.section);
        let part = |what: &str, text: &str| paragraph(&format!("  {what}: "), "  ", text);
        let mut out = head + &paragraph("  ", "  ", self.says);
        out += &part("premises", self.premises);
        out += &part("what it does not say", self.not_said);
        out + &format!("  run it: {}\n", self.run)
    }
}

/// Declares the rows.
macro_rules! rows {
    ($($id:literal ($section:literal) { $says:literal $premises:literal $not_said:literal $run:literal })*) => {
        &[$(Row { id: $id, section: $section, says: $says, premises: $premises, not_said: $not_said, run: $run }),*]
    };
}

/// Every row, in the order of the paper.
pub const ROWS: &[Row] = rows! {
    "obs-bound" ("3, observation bound") {
        "Two reachable crashed states agree on everything the store shows and on the generation, and their \
         accepted records differ. A policy that decides by what it sees there sends one batch in both, and each \
         batch duplicates, loses or fabricates in one of them."
        "One process, sends that land at once, a recovery that heals the store with its batch, two recoveries \
         that started at different places."
        "It does not forbid recovery: it says that a policy must read the record of acceptance, or change what \
         the sink accepts."
        "dwsim check scenarios/theory/obs-bound.ron"
    }
    "control-plane" ("3, control-plane bound") {
        "The pair of obs-bound is equal in generation, incarnation table, high-water mark, floor, journal length \
         and fence too. Counting more of the control plane does not help a policy decide."
        "As for obs-bound."
        "It does not say that generations are useless: at the sink, where messages are accepted, they are the way \
         out."
        "dwsim check scenarios/theory/control-plane.ron"
    }
    "independence" ("3") {
        "A clean store says nothing of the record, and a clean record nothing of the store. A run can go on as if \
         recovered and be dirty, until the next recovery heals it."
        "None."
        "It does not say which of the two your consumers care about."
        "dwsim check scenarios/theory/independence.ron"
    }
    "checkpoint" ("4, checkpoint dilemma") {
        "A crash between a delivery and its checkpoint leaves the same durable state as a crash just before the \
         delivery. Of the 4n + 1 places for one crash, the cursor policy duplicates at exactly n."
        "A checkpoint after each event, all keys in scope, a frontier that covers all commits, an uninterrupted \
         recovery."
        "It does not blame the cursor: outside the window it tells the truth. Moving or shrinking the window does \
         not close it."
        "dwsim check scenarios/theory/checkpoint.ron"
    }
    "content" ("4") {
        "Reading what the sink holds separates the checkpoint pair. It does not separate the pair of obs-bound, \
         whose contents were healed. Before the first recovery has ended there is no such pair: the core of a \
         crashed state tells its record."
        "Contents advance with the send; each recovery is one atom that heals them."
        "It does not say that contents are no evidence, only that they are not the record."
        "dwsim check scenarios/theory/content.ron"
    }
    "escape" ("5, sink-reading escape") {
        "Obligations minus the accepted record are exactly what is to be sent, over every reachable crash. Of one \
         payload that was committed twice it sends both or neither: a duplicate where nothing was accepted, a commit \
         that starves where one was."
        "No hazard so far, read and batch in one atom, nothing in flight, one recoverer, a frontier within the \
         run, a coordinate for each committed instance."
        "It does not cover messages that are still travelling (see zombie) or a second recoverer."
        "dwsim check scenarios/theory/escape.ron"
    }
    "guards" ("5") {
        "Publish only what the log holds, publish only what the record lacks, and send again only what is \
         distinct and missing: with all three a run stays free of hazards. Each one dropped has its own \
         counterexample, the last one two; without the second, not even a crash is needed."
        "The plain machine."
        "It says nothing of completeness: a run that publishes nothing keeps all three."
        "dwsim check scenarios/theory/guards.ron"
    }
    "retry" ("5") {
        "A sink-delta that is interrupted between its entries, as often as it likes, completes without a \
         duplicate when each round reads the record again. Looking again at core and generation before each entry \
         helps nobody: such a strategy is wrong in one world of a pair as in obs-bound."
        "The re-read; rounds one after the other; sends that land at once."
        "It does not cover a round that goes on with an old read while another one sends."
        "dwsim check scenarios/theory/retry.ron"
    }
    "silence" ("5") {
        "A recovery that sends nothing, or starts behind a cursor that ran ahead, never shows a hazard while a \
         delivery is owed. Only a comparison with what is owed shows it."
        "None."
        "It does not say that hazard audits are worthless, only that they are half."
        "dwsim check scenarios/theory/silence.ron"
    }
    "wire-bound" ("6, wire bound") {
        "The owed message is in flight in one world and lost in the other; everything else is equal. Each batch \
         duplicates in the first or loses in the second."
        "A recovery without a fence; messages outlive the crash."
        "It does not say that a lost message cannot be repaired: with a fence both worlds are."
        "dwsim check scenarios/theory/wire-bound.ron"
    }
    "zombie" ("6") {
        "An honest read, the right delta, a resume, and then the old send arrives: a duplicate. Arrival before \
         the read, a wire that is wiped, or a fence would each have prevented it."
        "A message outlives the process that sent it."
        "It does not blame the read, which was complete when it was made."
        "dwsim check scenarios/theory/zombie.ron"
    }
    "arrival-fence" ("6, arrival fence") {
        "Heal, send the delta and raise the fence in one atom: exactly-once at the frontier and a clean store, \
         over every reachable crash, with losses on the wire too."
        "No hazard so far, ascending coordinates, a frontier within the run, the sink checks the fence where it \
         accepts, one atom, one recoverer."
        "It covers no crash inside the atom and no copy that the transport makes within one generation."
        "dwsim check scenarios/theory/arrival-fence.ron"
    }
    "rescue" ("6, rescue conversion") {
        "Recovery up to order-1 with order-2 in flight: without a fence order-2 arrives and completes the work, \
         with it the sink refuses order-2 and owes it. Both are exact where recovery acted."
        "Recovery acts below what is in flight."
        "It does not say that the work is gone: the next recovery up to order-2 sends it."
        "dwsim check scenarios/theory/rescue.ron"
    }
    "residual" ("6, residual-wire stability") {
        "After a fenced re-drive whatever is still in flight stands below the fence. Its arrivals and losses, in \
         any order, leave the record as it is."
        "Only arrivals and losses follow."
        "It says nothing of work that is published anew after resume: a relay that sends again duplicates under \
         its new generation."
        "dwsim check scenarios/theory/residual.ron"
    }
    "fence-place" ("6, an argument about design") {
        "Raise the fence with the resume, and a straggler slips in before. Raise it first and let the batch \
         travel under the old generation, and it is refused with the stragglers."
        "The arrival fence otherwise."
        "It is no theorem. That a fence raised first works with a batch that lands directly is our finding, \
         within the bounds of the scenario."
        "dwsim check scenarios/theory/fence-place.ron"
    }
    "second-recoverer" ("7, second-recoverer bound") {
        "Two live recoverers without a fence, one owed payload: if both batches hold it, it is sent twice, if \
         none does, it is lost, if one does, that one dies after arming. The schedule picks after both have \
         decided, so each pair of batches goes wrong on some schedule."
        "No fence, each arms and fires at most once, who heals also fires, one heal for each crash."
        "It says nothing of recoverers that claim first (see claim)."
        "dwsim check scenarios/theory/second-recoverer.ron"
    }
    "ordered" ("7") {
        "Arm, heal and fire in order, and within one crash at most one of two recoverers completes, so the honest \
         delta does not fire twice. Losses remain, and across two crashes the duplicate is back."
        "One heal for each crash."
        "It does not make order a fence: where the heal is free, so is the duplicate."
        "dwsim check scenarios/theory/ordered.ron"
    }
    "claim" ("7, claim-fence safety and completed-claim exactness") {
        "One atom raises the fence to the own generation and arms the delta read under it; the fire passes the \
         gate or does not. No trace within this discipline has a hazard, and a completed claim is exact by what \
         was kept."
        "A gate at the fire point, a generation for each claimant, no commit at or below the frontier in the \
         claim window, no other claim or fire of that generation between, a fence not past it at the fire."
        "It does not promise that some claim completes, nor a clean store, nor a fire entry by entry, nor one \
         delivery for each of two commits of one payload."
        "dwsim check scenarios/theory/claim.ron"
    }
    "grades" ("7, journal-grade exactness") {
        "Exactly-once by what retention kept can be lost by the journal. Where the log is the journal, the two \
         agree exactly if everything below the floor was delivered."
        "The live log has not been cut."
        "It does not say how long to keep the log: longer than any recovery may look back."
        "dwsim check scenarios/theory/grades.ron"
    }
    "claim-order" ("7") {
        "A fence that rises at release lets two recoverers fire before either rose. A rise past a batch that was \
         armed before it refuses the recoverer's own work."
        "The claim otherwise."
        "It does not say that the claim is the only order that works."
        "dwsim check scenarios/theory/claim-order.ron"
    }
    "interface" ("7") {
        "What arrives was sent, and no more often; what was justified stays so. A copy of the running generation \
         breaks the first, and no fence sees it; a copy of a superseded straggler is refused."
        "None. Every run of every shipped scenario is held against both by cargo test --test laws."
        "It does not make your transport keep it: that is for the transport to promise."
        "dwsim check scenarios/theory/interface.ron"
    }
    "dedup-identity" ("8, coverage identity") {
        "Under a memory that never forgets, each obligation is processed exactly once if and only if it was \
         delivered at least once."
        "Permanent memory that is shared by all senders."
        "It proves no consumer right: check, effect and remembering must be one step there."
        "dwsim check scenarios/theory/dedup-identity.ron"
    }
    "window" ("8") {
        "A memory of the last entries is outlived by two recoveries that send everything again: with one entry \
         order-1 is processed twice, with two it is not. The record is the same; what differs is the view of it."
        "The memory counts received entries, absorbed ones included."
        "A memory as long as the distance of the copies is enough, and not necessary. Entries are no seconds."
        "dwsim check scenarios/theory/window.ron"
    }
    "keyed" ("8") {
        "Asked by coordinate, the record gives the same batch as asked by payload. Two events at one coordinate, \
         or a delivery whose event is gone, make the keyed batch smaller, so it errs towards loss."
        "Ascending coordinates; every delivered key was committed."
        "It does not allow keys made of content: equal orders that were both meant are merged."
        "dwsim check scenarios/theory/keyed.ron"
    }
    "undo" ("8") {
        "Take back all that is owed, newest first, and send all of it: the same batch in both worlds of obs-bound. A \
         consumer that matches each reversal with what it takes back ends up the same in both; one that adds up, or \
         stops at nothing, does not."
        "No duplicate on the record so far, ascending coordinates, an abstract re-drive of any batch."
        "The record itself still holds the payload twice and entries that nobody committed: what changed is the view \
         under which it is judged."
        "dwsim check scenarios/theory/undo.ron"
    }
    "compaction" ("8") {
        "Rewrites of the record that keep presence change nothing for the delta. In every state the batch is another \
         one exactly where an accepted obligation is no longer shown; it is sent again, and never less."
        "The record alone is rewritten, not the log."
        "It does not say that bounded memory could do no better."
        "dwsim check scenarios/theory/compaction.ron"
    }
    "truncation" ("8, truncation dilemma") {
        "The log is cut to nothing in two runs whose journals had one entry each; one is owed, the other is not. \
         Send it, and it is fabricated in one; do not, and it is abandoned in the other."
        "Of the journal only the length is left."
        "It does not concern retention that hides what a journal can still reconstruct: with the journal's \
         content the delta is right again."
        "dwsim check scenarios/theory/truncation.ron"
    }
    "faithful" ("9, faithful-image equivalence") {
        "A crash that shows a mismatch between the store and the committed image can be reached exactly where a \
         running state is already unfaithful."
        "Every running state can crash at every frontier within the run, and runs start running: who starts crashed \
         is faithful for want of a running state, and shows a mismatch."
        "It concerns the store alone and decides no delivery."
        "dwsim check scenarios/theory/faithful.ron"
    }
    "acks" ("2") {
        "Equal acknowledgements, different records: what the caller did not hear may have arrived or may never \
         have left."
        "None."
        "It does not say that acknowledgements are useless for speed, only that they earn no conclusion."
        "dwsim check scenarios/theory/acks.ron"
    }
    "shared-core" ("10, shared-core agreement") {
        "What a single recoverer does on the plain machine is what it does on the machine with spawned \
         generations: the same hazards, the same deltas, the same losses."
        "One recoverer at a time, no fence, no retention."
        "It says nothing of runs with two recoverers, which the plain machine does not have."
        "dwsim check scenarios/theory/shared-core.ron"
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows that the project set out to show.
    const SUITE: [&str; 30] = [
        "obs-bound",
        "control-plane",
        "independence",
        "checkpoint",
        "content",
        "escape",
        "guards",
        "retry",
        "silence",
        "wire-bound",
        "zombie",
        "arrival-fence",
        "rescue",
        "residual",
        "fence-place",
        "second-recoverer",
        "ordered",
        "claim",
        "grades",
        "claim-order",
        "interface",
        "dedup-identity",
        "window",
        "keyed",
        "undo",
        "compaction",
        "truncation",
        "faithful",
        "acks",
        "shared-core",
    ];

    #[test]
    fn every_row_of_the_theory_is_here_and_runs() {
        let ids: Vec<&str> = ROWS.iter().map(|row| row.id).collect();
        assert_eq!(ids, SUITE);
        for row in ROWS {
            let file = format!("{}/scenarios/theory/{}.ron", env!("CARGO_MANIFEST_DIR"), row.id);
            let in_rust = row.run.starts_with("cargo test");
            assert!(in_rust || std::path::Path::new(&file).exists(), "{}", row.id);
        }
    }
}
