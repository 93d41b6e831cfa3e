//! Writes a run down for a reader.

use crate::engine::fingerprint::Fingerprint;
use crate::engine::machine::{Machine, Role};
use crate::engine::offers::Column;
use crate::engine::rules::Judgement;
use crate::engine::steps;
use crate::engine::watch::{Note, Watch};
use crate::engine::world::World;
use crate::model::action::{Action, Emission};
use crate::model::ids::{Generation, Payload, Slot, Tick};
use crate::model::program::Surface;
use crate::model::record::{Effect, Finding, Lane, Moment, Record, Shown};
use crate::model::strategy::Strategy;
use crate::model::verdict::{Verdict, Verdicts};
use crate::schedulers::placement::Undisturbed;
use crate::schedulers::{Driver, Pct, Swarm, Timed, Uniform};

/// The run of a seed, written down.
pub fn record_seed(machine: &Machine, strategy: Strategy, seed: u64) -> Record {
    match strategy {
        Strategy::Timed => record_with(machine, &mut Timed::new(machine, seed)),
        Strategy::Uniform => record_with(machine, &mut Uniform::new(&Uniform::subsystem(), seed)),
        Strategy::Pct(changes) => record_with(machine, &mut Pct::new(machine, changes, seed)),
        Strategy::Swarm => record_with(machine, &mut Swarm::new(machine, &Swarm::subsystem(), seed)),
    }
}

/// The run that a driver makes, written down.
pub fn record_with<D: Driver>(machine: &Machine, driver: &mut D) -> Record {
    let mut world: World<Vec<u64>> = machine.start();
    let mut recorder = Recorder::new(machine);
    let judgement = super::run(machine, &mut world, driver, &mut recorder);
    recorder.finish(&world, judgement)
}

/// The run whose only crash strikes at `place`, from 0 to one less than the runs of [`super::crash_at_every_place`].
pub fn run_with_crash_at(machine: &Machine, place: u32) -> Record {
    record_with(machine, &mut Undisturbed::at(machine, place))
}

struct Recorder<'a> {
    machine: &'a Machine,
    moments: Vec<Moment>,
    findings: Vec<Finding>,
    sent_before: Vec<bool>,
    fingerprint: Fingerprint,
}

impl<'a> Recorder<'a> {
    fn new(machine: &'a Machine) -> Recorder<'a> {
        Recorder {
            machine,
            moments: Vec::new(),
            findings: Vec::new(),
            sent_before: vec![false; machine.messages() as usize],
            fingerprint: Fingerprint::new(),
        }
    }

    fn effect(&mut self, effect: Effect) {
        if let Some(moment) = self.moments.last_mut() {
            moment.effects.push(effect);
        }
    }

    fn name(&self, p: Payload) -> String {
        self.machine.payload_label(p)
    }

    fn became(&mut self, verdict: Verdict, payload: Payload, times: u32) {
        let (step, payload) = (self.moments.len(), self.name(payload));
        if let Some(known) = self.findings.iter_mut().find(|f| f.verdict == verdict && f.payload == payload) {
            known.times = times;
            return;
        }
        if let Some(moment) = self.moments.last_mut()
            && !moment.became.contains(&verdict)
        {
            moment.became.push(verdict);
        }
        self.findings.push(Finding { verdict, payload, times, step });
    }

    fn send(&mut self, e: Emission) {
        let again = std::mem::replace(&mut self.sent_before[e.payload.0 as usize], true);
        let (payload, generation) = (self.name(e.payload), e.generation.0);
        self.effect(Effect::Sent { payload, generation, again });
    }

    fn finish(mut self, world: &World<Vec<u64>>, judgement: Judgement) -> Record {
        let step = self.moments.len();
        // A hazard has its findings from the steps that made it true, where the effects of the step tell it.
        let found: Verdicts = self.findings.iter().map(|finding| finding.verdict).collect();
        for verdict in judgement.verdicts().except(found.with(Verdict::ExactlyOnce)).iter() {
            let payloads = self.machine.payloads_of(world, verdict, judgement);
            if payloads.is_empty() {
                self.findings.push(Finding { verdict, payload: String::new(), times: 0, step });
            }
            for p in payloads {
                let (payload, times) = (self.name(p), self.machine.times_of_payload(world, p));
                self.findings.push(Finding { verdict, payload, times, step });
            }
        }
        self.fingerprint.push(judgement.code());
        Record {
            moments: self.moments,
            findings: self.findings,
            verdicts: judgement.verdicts().iter().collect(),
            fingerprint: self.fingerprint.finish(),
        }
    }

    fn lane(&self, action: Action) -> Lane {
        let lane = steps::rare(action.section()).map_or(Column::Incarnation, |rare| rare.lane);
        match (lane, action) {
            (Column::Of(lane), _) => lane,
            (_, Action::Step { who, .. } | Action::Interval(who) | Action::Timeout(who)) => {
                match self.machine.slots[who.0 as usize].role {
                    Role::Producer | Role::Relay | Role::Zombie(_) => Lane::Source,
                    Role::Recoverer(k) => Lane::Recoverer(k + 1),
                }
            }
            _ => Lane::World,
        }
    }
}

impl Watch for Recorder<'_> {
    fn is_curious(&self) -> bool {
        true
    }

    fn about_to(&mut self, action: Action, at: Option<Tick>) {
        self.fingerprint.about_to(action, at);
        self.moments.push(Moment {
            at,
            action,
            label: self.machine.label(action),
            lane: self.lane(action),
            effects: Vec::new(),
            became: Vec::new(),
        });
    }
    fn committed(&mut self, p: Payload) {
        let name = self.name(p);
        self.effect(Effect::Committed(name));
    }
    fn enqueued(&mut self, p: Payload) {
        let name = self.name(p);
        self.effect(Effect::Enqueued(name));
    }
    fn fetched(&mut self, rows: u32) {
        self.effect(Effect::Fetched(rows));
    }
    fn sent(&mut self, e: Emission, _by: Slot) {
        self.send(e);
    }
    fn landed(&mut self, e: Emission, _by: Slot) {
        self.send(e);
    }
    fn copied(&mut self, e: Emission) {
        let name = self.name(e.payload);
        self.effect(Effect::Copied(name));
    }
    fn accepted(&mut self, e: Emission, times: u32, _owed: bool) {
        let (payload, generation, justified) = (self.name(e.payload), e.generation.0, e.justified);
        self.effect(Effect::Accepted { payload, generation, times, justified });
        if !justified {
            self.became(Verdict::Premature, e.payload, times);
        }
        if times > 1 {
            self.became(Verdict::Duplicate, e.payload, times);
        }
    }
    fn entered(&mut self, e: Emission) {
        let name = self.name(e.payload);
        self.effect(Effect::Entered(name));
        if !e.justified {
            self.became(Verdict::Premature, e.payload, 1);
        }
    }
    fn buffered(&mut self, p: Payload) {
        let name = self.name(p);
        self.effect(Effect::Buffered(name));
    }
    fn prepared(&mut self, e: Emission) {
        let name = self.name(e.payload);
        self.effect(Effect::Prepared(name));
    }
    fn dropped(&mut self, e: Emission, rescue: bool) {
        let (payload, generation) = (self.name(e.payload), e.generation.0);
        self.effect(Effect::Dropped { payload, generation, rescue });
    }
    fn rejected(&mut self, e: Emission) {
        let name = self.name(e.payload);
        self.effect(Effect::Rejected(name));
    }
    fn absorbed(&mut self, e: Emission) {
        let name = self.name(e.payload);
        self.effect(Effect::Absorbed(name));
    }
    fn lost(&mut self, p: Payload) {
        let name = self.name(p);
        self.effect(Effect::LostInTransit(name));
    }
    fn acknowledged(&mut self, p: Payload) {
        let name = self.name(p);
        self.effect(Effect::Acknowledged(name));
    }
    fn reply_lost(&mut self, p: Payload) {
        let name = self.name(p);
        self.effect(Effect::ReplyLost(name));
    }
    fn cursor(&mut self, events: u32) {
        if events == self.machine.cursor_gone() {
            self.effect(Effect::CursorGone);
        } else {
            self.effect(Effect::CursorAt(events));
        }
    }
    fn read(&mut self, surface: Surface, _by: Slot, number: u32) {
        let shows = match surface.shows_payloads() {
            true => Shown::Payloads(Vec::new()),
            false => Shown::Number(number),
        };
        self.effect(Effect::Read { surface, shows });
    }
    fn shown(&mut self, p: Payload) {
        let name = self.name(p);
        if let Some(Effect::Read { shows: Shown::Payloads(shown), .. }) =
            self.moments.last_mut().and_then(|m| m.effects.last_mut())
        {
            shown.push(name);
        }
    }
    fn armed(&mut self, _by: Slot) {
        self.effect(Effect::Armed(Vec::new()));
    }
    fn arms(&mut self, p: Payload) {
        let name = self.name(p);
        if let Some(Effect::Armed(batch)) = self.moments.last_mut().and_then(|m| m.effects.last_mut()) {
            batch.push(name);
        }
    }
    fn healed(&mut self) {
        self.effect(Effect::Healed);
    }
    fn fenced(&mut self, at: u32) {
        self.effect(Effect::FenceAt(at as u16));
    }
    fn crashed(&mut self) {
        self.effect(Effect::Crashed);
    }
    fn resumed(&mut self, g: Generation) {
        self.effect(Effect::Resumed(g.0));
    }
    fn gave_way(&mut self, slot: Slot, stopped: bool, refused: bool) {
        let who = self.machine.slot_name(slot);
        self.effect(Effect::GaveWay { who, stops: stopped, refused });
    }
    fn noted(&mut self, what: Note) {
        self.effect(match what {
            Note::Forgot => Effect::KeyForgotten,
            Note::Expired(p) => Effect::PreparationExpired(self.name(p)),
            Note::Floor(n) => Effect::Retained(n),
            Note::Truncated(n) => Effect::LogCut(n),
            Note::SinkCrashed => Effect::SinkCrashed,
        });
    }
}
