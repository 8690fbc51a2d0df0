// The S3 client in Go: aws-sdk-go-v2, spoken to as clients/PROTOCOL.md says.
package main

import "sectax/kit"

func main() {
	var state session
	kit.Main(state.handle, kindOf)
}

// session is what is kept from one request to the next.
type session struct {
	base   <-chan []byte // a body that is being made
	opened *client
}

func (s *session) handle(asked request) (kit.Reply, error) {
	switch asked.Command {
	case "hello":
		s.base = prepare(asked.Bytes, asked.Seed)
		return hello(), nil
	case "now":
		return kit.Reply{"now_ns": kit.Now()}, nil
	case "open":
		made, witnesses, err := open(asked, s.base)
		s.base = nil
		if err != nil {
			return nil, err
		}
		s.opened = made
		return kit.Reply{"witnesses": witnesses}, nil
	}
	if s.opened == nil {
		return nil, kit.NewFault("other", asked.Command+" before open")
	}
	switch asked.Command {
	case "stage":
		return kit.Reply{}, s.opened.stage(asked.Count)
	case "measure":
		return s.opened.measure(asked.Count, asked.Ramp, asked.StartNs)
	case "clear":
		return kit.Reply{}, s.opened.clear()
	case "close":
		answer, err := s.opened.close()
		if err == nil {
			err = kit.Ended
		}
		return answer, err
	}
	return nil, kit.NewFault("other", "there is no command "+asked.Command)
}
