// The S3 client in Go: aws-sdk-go-v2, spoken to as clients/PROTOCOL.md says.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

const longestLine = 16 << 20

// reply is what goes out: any members beside ok.
type reply map[string]any

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers one request a line until close or the end of the input.
func serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	answers := json.NewEncoder(out)
	var state session
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
		if asked.Command == "close" && err == nil {
			return nil
		}
	}
	return lines.Err()
}

// session is what is kept from one request to the next.
type session struct {
	base   <-chan []byte // a body that is being made
	opened *client
}

func (s *session) handle(asked request) (reply, error) {
	switch asked.Command {
	case "hello":
		s.base = prepare(asked.Bytes, asked.Seed)
		return hello(), nil
	case "open":
		made, witnesses, err := open(asked, s.base)
		s.base = nil
		if err != nil {
			return nil, err
		}
		s.opened = made
		return reply{"witnesses": witnesses}, nil
	}
	if s.opened == nil {
		return nil, wrong{"other", asked.Command + " before open"}
	}
	switch asked.Command {
	case "stage":
		return reply{}, s.opened.stage(asked.Count)
	case "measure":
		return s.opened.measure(asked.Count, asked.Ramp)
	case "clear":
		return reply{}, s.opened.clear()
	case "close":
		return s.opened.close()
	}
	return nil, wrong{"other", "there is no command " + asked.Command}
}
