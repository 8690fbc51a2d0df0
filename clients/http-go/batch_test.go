package main

import (
	"math"
	"testing"
	"time"
)

func TestInFlightIsTheOverlapWhileCountedRequestsRun(t *testing.T) {
	zero := time.Now()
	at := func(began, elapsed int) sample {
		return sample{began: zero.Add(time.Duration(began) * time.Millisecond), elapsed: time.Duration(elapsed) * time.Millisecond}
	}
	// Two at once; the first two and the last two are the ramp, and one of those ends early.
	all := []sample{at(0, 10), at(5, 10), at(10, 10), at(15, 10), at(20, 10), at(25, 5)}
	if seen := inFlight(all, all[2:4]); math.Abs(seen-2.0) > 1e-9 {
		t.Errorf("%g are in flight, and 2 were", seen)
	}
	if seen := inFlight(all, nil); seen != 0 {
		t.Errorf("%g are in flight where nothing counts", seen)
	}
}

func TestAHeaderSaysWhereTheAnswerEnds(t *testing.T) {
	for line, expected := range map[string]head{
		"content-length: 12":         {length: 12, keeps: true},
		"Transfer-Encoding: Chunked": {length: -1, chunked: true, keeps: true},
		"CONNECTION: Close":          {length: -1},
		"X-Length: 12":               {length: -1, keeps: true},
	} {
		seen := head{length: -1, keeps: true}
		if err := seen.take([]byte(line)); err != nil || seen != expected {
			t.Errorf("%s is read as %+v, %v", line, seen, err)
		}
	}
	for _, line := range []string{"no colon", " folded: line", "Content-Length: 1e3", "Content-Length: -1", "Transfer-Encoding: gzip"} {
		if err := (&head{length: -1}).take([]byte(line)); err == nil {
			t.Errorf("%s was taken", line)
		}
	}
}
