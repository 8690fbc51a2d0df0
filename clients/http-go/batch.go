package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	// A request of a schedule that begins later than this is late.
	lateness = time.Millisecond
	// One that finds no free connection for so long is dropped.
	patience = 100 * time.Millisecond
)

// sample is one request: when it began, or was due, and how long after that its first and its last byte came.
type sample struct {
	began          time.Time
	elapsed, first time.Duration
	dropped        bool
}

// batch is what became of every request, by its place.
type batch struct {
	of      *arm
	samples []sample
	failed  atomic.Pointer[error]
	late    atomic.Int64
	sending time.Duration // in which the schedule was sent; 0 in a closed loop
}

// measure sends so many requests. The first and the last ramp of them have no times, since fewer are under way then.
func (a *arm) measure(count, ramp int) (reply, error) {
	for _, one := range a.askers[:min(len(a.askers), count)] {
		if err := one.ready(time.Now()); err != nil {
			return nil, err
		}
	}
	done := &batch{of: a, samples: make([]sample, count)}
	sent, received := a.sent.Load(), a.received.Load()
	cpu, began := cpuNs(), time.Now()
	switch {
	case a.wanted.Rate > 0:
		done.onSchedule(began)
	case len(a.askers) == 1:
		done.oneByOne()
	default:
		done.inParallel()
	}
	wall, cpu := time.Since(began), cpuNs()-cpu
	a.requests += int64(count)
	if failed := done.failed.Load(); failed != nil {
		return nil, *failed
	}
	all := make([]sample, 0, count)
	for _, one := range done.samples {
		if !one.dropped {
			all = append(all, one)
		}
	}
	first := min(ramp, len(all))
	times := all[first:max(first, len(all)-ramp)]
	elapsed, firstByte := make([]int64, len(times)), make([]int64, len(times))
	for place, one := range times {
		elapsed[place], firstByte[place] = int64(one.elapsed), int64(one.first)
	}
	return reply{
		"elapsed_ns": elapsed, "first_byte_ns": firstByte, "wall_ns": int64(wall), "cpu_ns": cpu,
		"sent_bytes": a.sent.Load() - sent, "received_bytes": a.received.Load() - received,
		"in_flight": inFlight(all, times), "late": done.late.Load(), "dropped": count - len(all),
		"sending_ns": int64(done.sending),
	}, nil
}

// ask is one request, whose time counts from when it was due. It says whether to go on.
func (b *batch) ask(one asker, place int, due time.Time) bool {
	began := due
	if began.IsZero() {
		began = time.Now()
	}
	seen, ended, err := one.request(began)
	if err == nil {
		err = b.of.judge(seen)
	}
	if err != nil {
		b.failed.CompareAndSwap(nil, &err)
		return false
	}
	ended = spin(ended, b.of.wanted.AddedNs)
	b.samples[place] = sample{began, ended.Sub(began), seen.first.Sub(began), false}
	return b.failed.Load() == nil
}

func (b *batch) oneByOne() {
	for place := range b.samples {
		if !b.ask(b.of.askers[0], place, time.Time{}) {
			return
		}
	}
}

func (b *batch) inParallel() {
	var next atomic.Int64
	var group sync.WaitGroup
	for _, one := range b.of.askers {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				place := int(next.Add(1)) - 1
				if place >= len(b.samples) || !b.ask(one, place, time.Time{}) {
					return
				}
			}
		}()
	}
	group.Wait()
}

// onSchedule begins a request at every tick, whether or not the ones before have ended.
func (b *batch) onSchedule(began time.Time) {
	interval := time.Duration(float64(time.Second) / b.of.wanted.Rate)
	turns := make(chan int)
	due := func(place int) time.Time { return began.Add(time.Duration(place) * interval) }
	var group sync.WaitGroup
	for _, one := range b.of.askers {
		group.Add(1)
		go func() {
			defer group.Done()
			for place := range turns {
				if time.Since(due(place)) > lateness {
					b.late.Add(1)
				}
				b.ask(one, place, due(place))
			}
		}()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	precise()
	for place := range b.samples {
		sleepUntil(due(place))
		select {
		case turns <- place:
		default:
			select {
			case turns <- place:
			case <-time.After(time.Until(due(place).Add(patience))):
				b.samples[place].dropped = true
			}
		}
		b.sending = time.Since(began) + interval
		if b.failed.Load() != nil {
			break
		}
	}
	close(turns)
	group.Wait()
}

// precise makes sleeps of this thread end within microseconds: its timers may otherwise be 50 µs late.
func precise() {
	const setTimerSlack = 29
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0)
}

// sleepUntil sleeps in the kernel: time.Sleep may be a millisecond late in a program that does nothing else.
func sleepUntil(due time.Time) {
	for left := time.Until(due); left > 0; left = time.Until(due) {
		length := syscall.NsecToTimespec(int64(left))
		_, _, _ = syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&length)), 0, 0)
	}
}

// spin is the known cost of a positive control. It gives the time at its end.
func spin(from time.Time, ns int64) time.Time {
	now := from
	for ns > 0 && now.Sub(from) < time.Duration(ns) {
		now = time.Now()
	}
	return now
}

// inFlight is how many requests were under way on average from the first one that counts to the end of the last.
func inFlight(all, counted []sample) float64 {
	if len(counted) == 0 {
		return 0
	}
	begin, end := counted[0].began, counted[0].began
	for _, one := range counted {
		if one.began.Before(begin) {
			begin = one.began
		}
		if ended := one.began.Add(one.elapsed); ended.After(end) {
			end = ended
		}
	}
	var shared time.Duration
	for _, one := range all {
		shared += max(0, min(one.began.Add(one.elapsed).Sub(begin), end.Sub(begin))-max(0, one.began.Sub(begin)))
	}
	return float64(shared) / float64(max(1, end.Sub(begin)))
}

func cpuNs() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return used.Utime.Nano() + used.Stime.Nano()
}
