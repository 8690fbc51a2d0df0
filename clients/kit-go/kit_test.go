package kit

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
)

func TestInFlightIsTheOverlapWhileCountedRequestsRun(t *testing.T) {
	zero := time.Now()
	at := func(began, elapsed int) Span {
		return Span{zero.Add(time.Duration(began) * time.Millisecond), time.Duration(elapsed) * time.Millisecond}
	}
	// Two at once; the first two and the last two are the ramp, and one of those ends early.
	all := []Span{at(0, 10), at(5, 10), at(10, 10), at(15, 10), at(20, 10), at(25, 5)}
	if seen := InFlight(all, all[2:4]); math.Abs(seen-2.0) > 1e-9 {
		t.Errorf("%g are in flight, and 2 were", seen)
	}
	if seen := InFlight(all, nil); seen != 0 {
		t.Errorf("%g are in flight where nothing counts", seen)
	}
	alone := []Span{at(0, 10), at(10, 10), at(30, 10)}
	if seen := InFlight(alone, alone); math.Abs(seen-0.75) > 1e-9 {
		t.Errorf("%g are in flight, and 0.75 were", seen)
	}
}

func TestASchedulePassesOverWhatFindsNobodyFree(t *testing.T) {
	slow := Load{1, func(_, place int, _ time.Time) bool { time.Sleep(300 * time.Millisecond); return true }}
	done := slow.OnSchedule(3, 1000)
	if done.Dropped[0] || !done.Dropped[1] || done.Sending < 3*time.Millisecond {
		t.Errorf("%+v", done)
	}
}

func TestWorkIsDoneOnceAtEveryPlaceUntilOneFails(t *testing.T) {
	seen := make([]int, 100)
	Load{4, func(_, place int, _ time.Time) bool { seen[place]++; return true }}.InParallel(len(seen))
	for place, times := range seen {
		if times != 1 {
			t.Errorf("place %d was worked on %d times", place, times)
		}
	}
	done := 0
	Load{1, func(int, int, time.Time) bool { done++; return done < 3 }}.InParallel(100)
	if done != 3 {
		t.Errorf("%d were done after a failure", done)
	}
}

func TestAFaultIsAnAnswerAndTheConversationGoesOn(t *testing.T) {
	handle := func(asked string) (Reply, error) {
		switch asked {
		case "bad":
			return nil, Fault{"short", "it was short"}
		case "end":
			return Reply{}, Ended
		}
		return Reply{"heard": asked}, nil
	}
	var out bytes.Buffer
	if err := Serve(strings.NewReader("\"bad\"\n\"good\"\n\"end\"\n\"after\"\n"), &out, handle, KindOf); err != nil {
		t.Fatal(err)
	}
	expected := `{"kind":"short","ok":false,"reason":"it was short"}` + "\n" + `{"heard":"good","ok":true}` + "\n" + `{"ok":true}` + "\n"
	if out.String() != expected {
		t.Errorf("answered %s", out.String())
	}
}
