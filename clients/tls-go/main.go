// The two ends of a TLS connection for sectax: `ends server` and `ends client`, and `ends delay`, a line that is slow.
// They are spoken to as PROTOCOL.md says.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"

	"sectax/kit"
)

const (
	version     = 1
	longestLine = 16 << 20
)

// reply is what goes out: any members beside ok.
type reply map[string]any

// request is what comes in; the members that are not of its command are empty.
type request struct {
	Command  string `json:"command"`
	Arm      string `json:"arm"`
	Count    int    `json:"count"`
	Requests int    `json:"requests"`
	AddedNs  int64  `json:"added_ns"`
	Port     int    `json:"port"`
	Pid      int    `json:"pid"`
	DelayNs  int64  `json:"delay_ns"`
	settings
}

// end is one side of the conversation: it answers one command.
type end interface {
	handle(asked request) (reply, error)
}

func main() {
	ends := map[string]func() end{"server": newServer, "client": newClient, "delay": newDelay}
	if len(os.Args) != 2 || ends[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: ends server|client|delay")
		os.Exit(2)
	}
	if err := serve(ends[os.Args[1]](), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers one request a line until the end of the input.
func serve(by end, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	answers := json.NewEncoder(out)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return err
		}
		answer, err := answerTo(by, asked)
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

func answerTo(by end, asked request) (reply, error) {
	if asked.Command == "hello" {
		library := "crypto/tls of " + runtime.Version()
		return reply{"protocol": version, "library": library, "pid": os.Getpid(), "clock": kit.Clock()}, nil
	}
	return by.handle(asked)
}
