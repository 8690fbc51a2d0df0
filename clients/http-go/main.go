// The HTTP client of sectax: one process holds all arms of a comparison. It is spoken to as PROTOCOL.md says.
package main

import (
	"hash/maphash"
	"runtime"

	"sectax/kit"
)

const version = 1

// request is what comes in; the members that are not of its command are empty.
type request struct {
	Command string `json:"command"`
	Arm     string `json:"arm"`
	Count   int    `json:"count"`
	Ramp    int    `json:"ramp"`
	StartNs int64  `json:"start_ns"`
	wanted
}

func main() {
	// Bodies are compared by this hash within the process alone: its seed is random, so nobody can make two bodies alike.
	state := session{arms: map[string]*arm{}, seed: maphash.MakeSeed()}
	kit.Main(state.handle, kit.KindOf)
}

// session is what is kept from one request to the next.
type session struct {
	arms map[string]*arm
	seed maphash.Seed
}

func (s *session) handle(asked request) (kit.Reply, error) {
	switch asked.Command {
	case "hello":
		return kit.Reply{"protocol": version, "client": "go", "runtime": runtime.Version(), "clock": kit.Clock()}, nil
	case "now":
		return kit.Reply{"now_ns": kit.Now()}, nil
	case "open":
		opened, witnesses, err := open(asked.wanted, s.seed)
		if err != nil {
			return nil, err
		}
		s.arms[asked.Arm] = opened
		return kit.Reply{"witnesses": witnesses}, nil
	}
	on, found := s.arms[asked.Arm]
	if !found {
		return nil, kit.NewFault("other", asked.Command+" before open")
	}
	switch asked.Command {
	case "measure":
		return on.measure(asked.Count, asked.Ramp, asked.StartNs)
	case "close":
		delete(s.arms, asked.Arm)
		on.close()
		return kit.Reply{"requests": on.requests, "connections": on.connections.Load()}, nil
	}
	return nil, kit.NewFault("other", "there is no command "+asked.Command)
}
