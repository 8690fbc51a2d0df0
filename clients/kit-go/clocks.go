package kit

import (
	"os"
	"slices"
	"syscall"
	"time"
	"unsafe"
)

// Clock tries the monotonic clock: its smallest step and the cost of a reading.
func Clock() map[string]any {
	readings := make([]int64, 0, 2000)
	step := int64(0)
	for range 2000 {
		first := time.Now()
		took := int64(time.Since(first))
		readings = append(readings, took)
		if took > 0 && (step == 0 || took < step) {
			step = took
		}
	}
	slices.Sort(readings)
	return map[string]any{"name": "monotonic", "granularity_ns": max(step, 1), "read_ns": readings[len(readings)/2]}
}

// CPU is this process's CPU time up to now, in nanoseconds.
func CPU() int64 { return CPUOf(os.Getpid()) }

// CPUOf is the CPU time of a process of this user up to now, by its own clock (clock_getcpuclockid(3)); 0 of one that
// has ended.
func CPUOf(pid int) int64 {
	var now syscall.Timespec
	clock := int64(^pid<<3 | 2)
	if _, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, uintptr(clock), uintptr(unsafe.Pointer(&now)), 0); failed != 0 {
		return 0
	}
	return now.Nano()
}

// Spin is the known cost of a positive control. It gives the time at its end.
func Spin(from time.Time, ns int64) time.Time {
	now := from
	for ns > 0 && now.Sub(from) < time.Duration(ns) {
		now = time.Now()
	}
	return now
}

// Precise makes sleeps of this thread end within microseconds: its timers may otherwise be 50 µs late.
func Precise() {
	const setTimerSlack = 29
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0)
}

// SleepUntil sleeps in the kernel: time.Sleep may be a millisecond late in a program that does nothing else.
func SleepUntil(due time.Time) {
	for left := time.Until(due); left > 0; left = time.Until(due) {
		length := syscall.NsecToTimespec(int64(left))
		_, _, _ = syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&length)), 0, 0)
	}
}

// origin is where this process's own clock begins, by which several clients agree on a start.
var origin = time.Now()

// Now is this process's own clock in nanoseconds.
func Now() int64 { return int64(time.Since(origin)) }

// WaitFor sleeps until this process's own clock shows so much; 0 is at once.
func WaitFor(start int64) {
	if start > 0 {
		SleepUntil(origin.Add(time.Duration(start)))
	}
}
