// The two ends of a TLS connection for sectax: `ends server` and `ends client`, and `ends delay`, a line that is slow.
// They are spoken to as PROTOCOL.md says.
package main

import (
	"fmt"
	"os"
	"runtime"

	"sectax/kit"
)

const version = 1

type reply = kit.Reply

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
	by := ends[os.Args[1]]()
	kit.Main(func(asked request) (reply, error) { return answerTo(by, asked) }, kindOf)
}

func answerTo(by end, asked request) (reply, error) {
	if asked.Command == "hello" {
		library := "crypto/tls of " + runtime.Version()
		return reply{"protocol": version, "library": library, "pid": os.Getpid(), "clock": kit.Clock()}, nil
	}
	return by.handle(asked)
}
