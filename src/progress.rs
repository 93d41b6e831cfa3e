//! What a campaign shows while it runs, and how it is interrupted. Short campaigns show nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use dwsim_reports::text;
use dwsim_sim::campaign::Progress;
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

/// Shows progress until it is dropped, and stops the campaign at Ctrl-C.
pub struct Watcher {
    progress: Arc<Progress>,
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Watches a campaign of so many seeds. At the first Ctrl-C it ends with what it has, at the second at once.
    pub fn start(seeds: u64, terminal: &Terminal) -> Watcher {
        let progress = Arc::new(Progress::default());
        let shared = Arc::clone(&progress);
        // Where no handler can be set, Ctrl-C ends the process without a report, as it does everywhere.
        let _ = ctrlc::set_handler(move || {
            if shared.stop.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        let (over, ended) = mpsc::channel();
        let shared = Arc::clone(&progress);
        let terminal = *terminal;
        let thread = std::thread::spawn(move || {
            let clock = Stopwatch::start();
            let wait = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if !wait(QUIET) {
                return;
            }
            let done = || shared.done.load(Ordering::Relaxed);
            if terminal.watched {
                let bar = bar(seeds);
                while wait(FRAME) {
                    bar.set_position(done());
                }
                bar.finish_and_clear();
            } else {
                while wait(LINE) {
                    terminal.say(&format!("{} of {}", text::count(done()), text::counted(seeds, "seed")));
                }
            }
            let spent = clock.elapsed().as_secs_f64();
            terminal.say(&format!("{} in {spent:.1} s", text::counted(done(), "seed")));
        });
        Watcher { progress, over: Some(over), thread: Some(thread) }
    }

    /// What the campaign counts in.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.over.take();
        if let Some(thread) = self.thread.take() {
            // It has nothing to return, and a panic in it has been reported where it happened.
            let _ = thread.join();
        }
    }
}

fn bar(seeds: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(seeds), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} seeds, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
