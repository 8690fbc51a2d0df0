// Package kit is what the clients in Go share: the conversation with sectax, clocks, faults, and loads whose requests
// overlap.
package kit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

const longestLine = 64 << 20

// Reply is what goes out: any members beside ok.
type Reply map[string]any

// Ended is returned beside the last reply of a conversation.
var Ended = errors.New("the conversation has ended")

// Main answers on stdin and stdout, one request a line, and ends the program.
func Main[Request any](handle func(Request) (Reply, error), kindOf func(error) string) {
	if err := Serve(os.Stdin, os.Stdout, handle, kindOf); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Serve answers one request a line until the end of the input, or of the conversation. What handle fails with is an
// answer too, of a kind.
func Serve[Request any](
	in io.Reader, out io.Writer, handle func(Request) (Reply, error), kindOf func(error) string,
) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	answers := json.NewEncoder(out)
	for lines.Scan() {
		var asked Request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return err
		}
		answer, err := handle(asked)
		ends := errors.Is(err, Ended)
		if err != nil && !ends {
			answer = Reply{"ok": false, "kind": kindOf(err), "reason": reasonOf(err)}
		} else {
			answer["ok"] = true
		}
		if err := answers.Encode(answer); err != nil || ends {
			return err
		}
	}
	return lines.Err()
}
