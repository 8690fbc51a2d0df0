package main

import (
	"math"
	"testing"
	"time"
)

func TestInFlightIsTheOverlapWhileCountedOperationsRun(t *testing.T) {
	zero := time.Now()
	at := func(began, elapsed int) times {
		return times{began: zero.Add(time.Duration(began) * time.Millisecond), elapsed: time.Duration(elapsed) * time.Millisecond}
	}
	// Two at once; the first two and the last two are the ramp, and one of those ends early.
	all := []times{at(0, 10), at(5, 10), at(10, 10), at(15, 10), at(20, 10), at(25, 5)}
	if seen := inFlight(all, all[2:4]); math.Abs(seen-2.0) > 1e-9 {
		t.Errorf("%g are in flight, and 2 were", seen)
	}
	if seen := inFlight(all, nil); seen != 0 {
		t.Errorf("%g are in flight where nothing counts", seen)
	}
	alone := []times{at(0, 10), at(10, 10), at(30, 10)}
	if seen := inFlight(alone, alone); math.Abs(seen-0.75) > 1e-9 {
		t.Errorf("%g are in flight, and 0.75 were", seen)
	}
}
