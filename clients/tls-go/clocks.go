package main

import (
	"os"
	"sort"
	"syscall"
	"time"
	"unsafe"
)

// clock tries the monotonic clock: its smallest step and the cost of a reading.
func clock() map[string]any {
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
	sort.Slice(readings, func(a, b int) bool { return readings[a] < readings[b] })
	return map[string]any{"name": "monotonic", "granularity_ns": max(step, 1), "read_ns": readings[len(readings)/2]}
}

func cpuNs() int64 { return cpuNsOf(os.Getpid()) }

// cpuNsOf is the CPU time of a process of this user up to now, by its own clock (clock_getcpuclockid(3)).
func cpuNsOf(pid int) int64 {
	var now syscall.Timespec
	clock := int64(^pid<<3 | 2)
	if _, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, uintptr(clock), uintptr(unsafe.Pointer(&now)), 0); failed != 0 {
		return 0
	}
	return now.Nano()
}
