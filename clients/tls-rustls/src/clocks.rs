//! The monotonic clock, and the CPU time of processes.

use std::time::Instant;

use serde_json::{Value, json};

/// Tries the monotonic clock: its smallest step and the cost of a reading.
pub fn clock() -> Value {
    let mut readings: Vec<u64> = (0..2000)
        .map(|_| {
            let first = Instant::now();
            first.elapsed().as_nanos() as u64
        })
        .collect();
    readings.sort_unstable();
    let step = readings.iter().copied().find(|&took| took > 0).unwrap_or(1);
    json!({"name": "monotonic", "granularity_ns": step, "read_ns": readings[readings.len() / 2]})
}

/// The CPU time of a process of this user up to now, by its own clock (clock_getcpuclockid(3)).
pub fn cpu_ns(pid: i32) -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec that outlives the call.
    let failed = unsafe { libc::clock_gettime((!pid << 3) | 2, &raw mut now) };
    if failed == 0 { now.tv_sec * 1_000_000_000 + now.tv_nsec } else { 0 }
}
