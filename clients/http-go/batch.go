package main

import (
	"sync/atomic"
	"time"

	"sectax/kit"
)

// batch is what became of every request, by its place: when it began, or was due, and how long after that its first and
// its last byte came.
type batch struct {
	of     *arm
	spans  []kit.Span
	firsts []time.Duration
	failed atomic.Pointer[error]
}

// measure sends so many requests. The first and the last ramp of them have no times, since fewer are under way then.
// They begin when this process's own clock shows start, or at once where that is 0.
func (a *arm) measure(count, ramp int, start int64) (kit.Reply, error) {
	for _, one := range a.askers[:min(len(a.askers), count)] {
		if err := one.ready(time.Now()); err != nil {
			return nil, err
		}
	}
	done := &batch{of: a, spans: make([]kit.Span, count), firsts: make([]time.Duration, count)}
	load := kit.Load{Workers: len(a.askers), Do: done.ask}
	schedule := kit.Scheduled{Dropped: make([]bool, count)}
	sent, received := a.sent.Load(), a.received.Load()
	kit.WaitFor(start)
	cpu, started, began := kit.CPU(), kit.Now(), time.Now()
	switch {
	case a.wanted.Rate > 0:
		schedule = load.OnSchedule(count, a.wanted.Rate)
	case len(a.askers) == 1:
		for place := 0; place < count && done.ask(0, place, time.Time{}); place++ {
		}
	case a.loop != nil:
		a.inTurns(count, done)
	default:
		load.InParallel(count)
	}
	wall, cpu := time.Since(began), kit.CPU()-cpu
	a.requests += int64(count)
	if failed := done.failed.Load(); failed != nil {
		return nil, *failed
	}
	all, firsts := done.spans[:0], done.firsts[:0]
	for place, dropped := range schedule.Dropped {
		if !dropped {
			all, firsts = append(all, done.spans[place]), append(firsts, done.firsts[place])
		}
	}
	from := min(ramp, len(all))
	to := max(from, len(all)-ramp)
	elapsed := make([]int64, 0, count)
	for _, one := range all[from:to] {
		elapsed = append(elapsed, int64(one.Elapsed))
	}
	return kit.Reply{
		"elapsed_ns": elapsed, "first_byte_ns": firsts[from:to], "wall_ns": int64(wall), "cpu_ns": cpu,
		"sent_bytes": a.sent.Load() - sent, "received_bytes": a.received.Load() - received,
		"in_flight": kit.InFlight(all, all[from:to]), "late": schedule.Late, "dropped": count - len(all),
		"sending_ns": int64(schedule.Sending), "started_ns": started, "one_thread": a.loop != nil,
	}, nil
}

// inTurns has the requests sent by askers that take turns in this thread.
func (a *arm) inTurns(count int, done *batch) {
	next := 0
	a.loop.run(func(worker int) {
		for next < count {
			place := next
			next++
			if !done.ask(worker, place, time.Time{}) {
				return
			}
		}
	})
}

// ask is one request, whose time counts from when it was due. It says whether to go on.
func (b *batch) ask(worker, place int, due time.Time) bool {
	began := due
	if began.IsZero() {
		began = time.Now()
	}
	seen, ended, err := b.of.askers[worker].request(began)
	if err == nil {
		err = b.of.judge(seen)
	}
	if err != nil {
		b.failed.CompareAndSwap(nil, &err)
		return false
	}
	ended = kit.Spin(ended, b.of.wanted.AddedNs)
	b.spans[place], b.firsts[place] = kit.Span{Began: began, Elapsed: ended.Sub(began)}, seen.first.Sub(began)
	return b.failed.Load() == nil
}
