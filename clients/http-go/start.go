package main

import (
	"time"

	"sectax/kit"
)

// origin is where this process's own clock begins, by which several clients agree on a start.
var origin = time.Now()

// now is this process's own clock in nanoseconds.
func now() int64 { return int64(time.Since(origin)) }

// waitFor sleeps until this process's own clock shows so much; 0 is at once.
func waitFor(start int64) {
	if start > 0 {
		kit.SleepUntil(origin.Add(time.Duration(start)))
	}
}
