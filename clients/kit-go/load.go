package kit

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// What begins later than this on a schedule is late.
	lateness = time.Millisecond
	// What finds nobody free for so long is dropped.
	patience = 100 * time.Millisecond
)

// Load is work on numbered places, by several workers at once. Do is the work on a place, by a worker; due is when it
// should begin, and zero where that is at once. It says whether to go on.
type Load struct {
	Workers int
	Do      func(worker, place int, due time.Time) bool
}

// InParallel has all places worked on, each as soon as a worker is free.
func (l Load) InParallel(count int) {
	var next atomic.Int64
	l.crew(func(worker int) {
		for {
			place := int(next.Add(1)) - 1
			if place >= count || !l.Do(worker, place, time.Time{}) {
				return
			}
		}
	})()
}

// Scheduled is what became of a schedule.
type Scheduled struct {
	Dropped []bool        // by place
	Late    int64         // places
	Sending time.Duration // in which it was sent
}

// OnSchedule begins work at every tick, whether or not what came before has ended.
func (l Load) OnSchedule(count int, rate float64) Scheduled {
	began, interval := time.Now(), time.Duration(float64(time.Second)/rate)
	due := func(place int) time.Time { return began.Add(time.Duration(place) * interval) }
	done := Scheduled{Dropped: make([]bool, count)}
	turns := make(chan int)
	var late atomic.Int64
	var failed atomic.Bool
	wait := l.crew(func(worker int) {
		for place := range turns {
			if time.Since(due(place)) > lateness {
				late.Add(1)
			}
			if !l.Do(worker, place, due(place)) {
				failed.Store(true)
			}
		}
	})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	Precise()
	for place := range count {
		SleepUntil(due(place))
		select {
		case turns <- place:
		default:
			select {
			case turns <- place:
			case <-time.After(time.Until(due(place).Add(patience))):
				done.Dropped[place] = true
			}
		}
		done.Sending = time.Since(began) + interval
		if failed.Load() {
			break
		}
	}
	close(turns)
	wait()
	done.Late = late.Load()
	return done
}

// crew starts the workers, and gives what waits for them.
func (l Load) crew(work func(worker int)) (wait func()) {
	var group sync.WaitGroup
	for worker := range l.Workers {
		group.Add(1)
		go func() {
			defer group.Done()
			work(worker)
		}()
	}
	return group.Wait
}

// Span is when something began, or was due, and how long it took from then.
type Span struct {
	Began   time.Time
	Elapsed time.Duration
}

// End is when it was over.
func (s Span) End() time.Time { return s.Began.Add(s.Elapsed) }

// InFlight is how many of all were under way on average from the first one that counts to the end of the last.
func InFlight(all, counted []Span) float64 {
	if len(counted) == 0 {
		return 0
	}
	begin, end := counted[0].Began, counted[0].End()
	for _, one := range counted {
		if one.Began.Before(begin) {
			begin = one.Began
		}
		if one.End().After(end) {
			end = one.End()
		}
	}
	var shared time.Duration
	for _, one := range all {
		shared += max(0, min(one.End().Sub(begin), end.Sub(begin))-max(0, one.Began.Sub(begin)))
	}
	return float64(shared) / float64(max(1, end.Sub(begin)))
}
