//! What a campaign or a search shows while it runs, and how it is interrupted. What is short shows nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use dwsim_reports::text;
use dwsim_sim::analysis::campaign::Progress;
use dwsim_sim::search::explore::Watched;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::clock::Stopwatch;
use crate::exit::Exit;
use crate::output::Terminal;

/// What ends sooner shows nothing.
const QUIET: Duration = Duration::from_secs(1);
/// How often a bar is drawn.
const FRAME: Duration = Duration::from_millis(100);
/// How often a line is written where nobody watches.
const LINE: Duration = Duration::from_secs(10);

/// What is counted while it runs, and told to stop.
pub trait Counted: Default + Send + Sync + 'static {
    /// One of what is counted.
    const UNIT: &'static str;
    /// So many so far.
    fn done(&self) -> &AtomicU64;
    /// Set to stop.
    fn stop(&self) -> &AtomicBool;
}

impl Counted for Progress {
    const UNIT: &'static str = "seed";
    fn done(&self) -> &AtomicU64 {
        &self.done
    }
    fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

impl Counted for Watched {
    const UNIT: &'static str = "state";
    fn done(&self) -> &AtomicU64 {
        &self.states
    }
    fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

/// Shows progress until it is dropped, and stops the work at Ctrl-C.
pub struct Watcher<C> {
    counted: Arc<C>,
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher<Progress> {
    /// Watches a campaign of so many seeds.
    pub fn of_seeds(seeds: u64, terminal: &Terminal) -> Watcher<Progress> {
        Watcher::start(Some(seeds), terminal)
    }
}

impl Watcher<Watched> {
    /// Watches a search, which does not know how many states there are.
    pub fn of_states(terminal: &Terminal) -> Watcher<Watched> {
        Watcher::start(None, terminal)
    }
}

impl<C: Counted> Watcher<C> {
    /// Watches work that ends at `total`, where that is known. At the first Ctrl-C it ends with what it has, at the
    /// second at once.
    fn start(total: Option<u64>, terminal: &Terminal) -> Watcher<C> {
        let counted = Arc::new(C::default());
        let shared = Arc::clone(&counted);
        // Where no handler can be set, Ctrl-C ends the process without a report, as it does everywhere.
        let _ = ctrlc::set_handler(move || {
            if shared.stop().swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        let (over, ended) = mpsc::channel();
        let shared = Arc::clone(&counted);
        let terminal = *terminal;
        let thread = std::thread::spawn(move || {
            let clock = Stopwatch::start();
            let wait = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if !wait(QUIET) {
                return;
            }
            let done = || shared.done().load(Ordering::Relaxed);
            if terminal.watched {
                let bar = bar::<C>(total);
                while wait(FRAME) {
                    bar.set_position(done());
                }
                bar.finish_and_clear();
            } else {
                while wait(LINE) {
                    terminal.say(&match total {
                        Some(total) => {
                            format!("{} of {}", text::count(done()), text::counted(total, C::UNIT))
                        }
                        None => format!("{} of this search so far", text::counted(done(), C::UNIT)),
                    });
                }
            }
            let spent = clock.elapsed().as_secs_f64();
            terminal.say(&match total {
                Some(_) => format!("{} in {spent:.1} s", text::counted(done(), C::UNIT)),
                // There was a search for each design, and the count is that of the last.
                None => format!("searched for {spent:.1} s"),
            });
        });
        Watcher { counted, over: Some(over), thread: Some(thread) }
    }

    /// What the work counts in.
    pub fn counted(&self) -> &C {
        &self.counted
    }
}

impl<C> Drop for Watcher<C> {
    fn drop(&mut self) {
        self.over.take();
        if let Some(thread) = self.thread.take() {
            // It has nothing to return, and a panic in it has been reported where it happened.
            let _ = thread.join();
        }
    }
}

fn bar<C: Counted>(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(&match total {
        Some(_) => format!("{{bar:40}} {{human_pos}}/{{human_len}} {}s, {{eta}} left", C::UNIT),
        None => format!("{{spinner}} {{human_pos}} {}s so far, {{elapsed}}", C::UNIT),
    });
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
