// The HTTP client of sectax: one process holds all arms of a comparison. It is spoken to as PROTOCOL.md says.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"runtime"
	"sort"
	"time"
)

const (
	version     = 1
	longestLine = 64 << 20
)

// reply is what goes out: any members beside ok.
type reply map[string]any

// request is what comes in; the members that are not of its command are empty.
type request struct {
	Command string `json:"command"`
	Arm     string `json:"arm"`
	Count   int    `json:"count"`
	Ramp    int    `json:"ramp"`
	wanted
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers one request a line until the end of the input.
func serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	answers := json.NewEncoder(out)
	// Bodies are compared by this hash within the process alone: its seed is random, so nobody can make two bodies alike.
	state := session{arms: map[string]*arm{}, seed: maphash.MakeSeed()}
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return err
		}
		answer, err := state.handle(asked)
		if err != nil {
			answer = faultOf(err)
		} else {
			answer["ok"] = true
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

// session is what is kept from one request to the next.
type session struct {
	arms map[string]*arm
	seed maphash.Seed
}

func (s *session) handle(asked request) (reply, error) {
	switch asked.Command {
	case "hello":
		return reply{"protocol": version, "client": "go", "runtime": runtime.Version(), "clock": clock()}, nil
	case "open":
		opened, witnesses, err := open(asked.wanted, s.seed)
		if err != nil {
			return nil, err
		}
		s.arms[asked.Arm] = opened
		return reply{"witnesses": witnesses}, nil
	}
	on, found := s.arms[asked.Arm]
	if !found {
		return nil, fault{"other", asked.Command + " before open"}
	}
	switch asked.Command {
	case "measure":
		return on.measure(asked.Count, asked.Ramp)
	case "close":
		delete(s.arms, asked.Arm)
		on.close()
		return reply{"requests": on.requests, "connections": on.connections.Load()}, nil
	}
	return nil, fault{"other", "there is no command " + asked.Command}
}

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
