package kit

import (
	"slices"
	"syscall"
	"time"
	"unsafe"
)

var started = time.Now()

func wallTime() int64 { return int64(time.Since(started)) }

// cpuTime is that of all threads, the garbage collector's too, in nanoseconds.
func cpuTime() int64 {
	var now syscall.Timespec
	const process = 2 // CLOCK_PROCESS_CPUTIME_ID of Linux
	if _, _, fault := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, process, uintptr(unsafe.Pointer(&now)), 0); fault != 0 {
		panic(fault)
	}
	return now.Nano()
}

// describe tries a clock: its smallest step above zero, and the median cost of a reading.
func describe(name string, read func() int64) map[string]any {
	steps := make([]int64, 0, 2000)
	for range cap(steps) {
		before := read()
		steps = append(steps, read()-before)
	}
	slices.Sort(steps)
	above, _ := slices.BinarySearch(steps, 1) // a clock that stands still is an accident
	return map[string]any{"name": name, "granularity_ns": steps[above], "read_ns": steps[len(steps)/2]}
}

type measured struct {
	elapsed              []int64
	cpu, failures, bytes int64
}

// batch times count operations together. The CPU clock is read outside, since a reading of it takes longer.
func (m *measured) batch(run func() (int, bool), count int) {
	var failures, bytes int64
	cpuBefore := cpuTime()
	before := time.Now()
	for range count {
		made, right := run()
		if !right {
			failures++
		}
		bytes += int64(made)
	}
	elapsed := time.Since(before)
	m.cpu += cpuTime() - cpuBefore
	m.elapsed = append(m.elapsed, int64(elapsed))
	m.failures += failures
	m.bytes += bytes
}
