package kit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
)

// Members are found in any case.
type request struct {
	Seq                     *int64
	Command, Operation      string
	Protocol, Count, Settle int
	Parameters, Inputs      map[string]string
	Present                 []string
	Each                    bool
}

type reply = map[string]any

// Serve answers one request a line until stop or the end of the input.
func (p Probe) Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), 16<<20+1)
	answers := json.NewEncoder(out)
	for stopped := false; !stopped && lines.Scan(); {
		var answer reply
		answer, stopped = p.answer(lines.Bytes())
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

func (p *Probe) answer(line []byte) (answer reply, stopped bool) {
	var asked request
	fault := json.Unmarshal(line, &asked)
	defer func() { // an accident in a library is an ordinary answer too
		if accident := recover(); accident != nil {
			answer, stopped = reply{"seq": asked.Seq, "status": "failed", "reason": fmt.Sprint(accident)}, false
		}
	}()
	if fault == nil {
		answer, fault = p.obey(asked)
	}
	if fault != nil {
		refused := Refusal{"failed", fault.Error()}
		errors.As(fault, &refused)
		return reply{"seq": asked.Seq, "status": refused.Status, "reason": refused.Reason}, false
	}
	answer["seq"], answer["status"] = asked.Seq, "ok"
	return answer, asked.Command == "stop"
}

func (p *Probe) obey(asked request) (reply, error) {
	if asked.Seq == nil {
		return nil, Failed("`seq` must be an integer")
	}
	if p.live == nil && (asked.Command == "witness" || asked.Command == "measure") {
		return nil, Failed("nothing is prepared")
	}
	switch asked.Command {
	case "hello":
		return p.hello(asked)
	case "prepare":
		return p.prepare(asked)
	case "stop":
		return reply{}, nil
	case "witness":
		return witness(p.live, asked.Present)
	case "measure":
		return measure(p.live, asked)
	}
	return nil, Failed("unknown command: hello, prepare, witness, measure and stop are known")
}

func (p *Probe) hello(asked request) (reply, error) {
	if asked.Protocol != 1 {
		return nil, Failed(fmt.Sprintf("protocol %d was asked for, this probe speaks 1", asked.Protocol))
	}
	operations := []reply{{"name": "empty", "parameters": reply{}}}
	for name, parameters := range p.Operations {
		operations = append(operations, reply{"name": name, "parameters": parameters})
	}
	return reply{
		"protocol": 1, "probe": Named{p.Name, p.Version}, "runtime": Named{"Go", runtime.Version()},
		"libraries": p.Libraries, "operations": operations,
		"clock": describe("time.Now", wallTime), "cpu_clock": describe("CLOCK_PROCESS_CPUTIME_ID", cpuTime),
	}, nil
}

func (p *Probe) prepare(asked request) (reply, error) {
	// Whatever comes of it, a later measure must not time what was live before.
	p.live = nil
	if asked.Operation == "empty" {
		p.live = &Operation{Run: func() (int, bool) { return 0, true }}
		return reply{"witnesses": reply{}}, nil
	}
	known := p.Operations[asked.Operation]
	if known == nil {
		return nil, Failed("an unknown operation")
	}
	for name := range asked.Parameters { // one passed over in silence would be a mislabelled measurement
		if known[name] == nil {
			return nil, Failed("an unknown parameter")
		}
	}
	var err error
	if p.live, err = p.Prepare(asked.Operation, asked.Parameters, asked.Inputs); err != nil {
		return nil, err
	}
	return reply{"witnesses": p.live.Witnesses}, nil
}

func witness(live *Operation, present []string) (reply, error) {
	accepted := make([]bool, len(present))
	answer, artefact := reply{"artefact": nil, "witnesses": reply{}, "accepted": accepted}, ""
	if live.Artefact != nil {
		var err error
		if artefact, err = live.Artefact(); err != nil {
			return nil, err
		}
		answer["artefact"] = artefact
	}
	if live.ReadBack != nil {
		answer["witnesses"] = live.ReadBack(artefact)
	}
	for index, shown := range present {
		accepted[index] = live.Accepts != nil && live.Accepts(shown)
	}
	return answer, nil
}

func measure(live *Operation, asked request) (reply, error) {
	if asked.Count < 1 || asked.Settle < 0 || asked.Each && asked.Count > 1_000_000 {
		return nil, Failed("count must be at least 1, settle 0; one by one a million fit into a line")
	}
	seen, size := measured{}, asked.Count
	if asked.Each {
		size = 1
	}
	(&measured{}).batch(live.Run, asked.Settle)
	for range asked.Count / size {
		seen.batch(live.Run, size)
	}
	answer := reply{"count": asked.Count, "elapsed_ns": seen.elapsed, "failures": seen.failures, "bytes": seen.bytes}
	if !asked.Each {
		answer["cpu_ns"] = seen.cpu
	}
	return answer, nil
}
