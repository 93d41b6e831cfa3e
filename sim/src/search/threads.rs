//! The same work on several threads: what a campaign does with its seeds, and the search with its states.

use std::thread::Builder;

/// Runs the same work on so many threads, this one (number 0) among them, and gives what each returned, in order. Where
/// the system has no more threads, those that there are do the work.
pub(crate) fn in_parallel<T: Send>(jobs: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let spawn = |thread| Builder::new().spawn_scoped(scope, move || work(thread)).ok();
        let others: Vec<_> = (1..jobs.max(1)).map_while(spawn).collect();
        let mut results = vec![work(0)];
        results.extend(others.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }));
        results
    })
}
