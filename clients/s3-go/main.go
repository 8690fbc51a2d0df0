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
	var opened *client
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return err
		}
		answer, err := handle(&opened, asked)
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

func handle(opened **client, asked request) (reply, error) {
	switch asked.Command {
	case "hello":
		return hello(), nil
	case "open":
		made, witnesses, err := open(asked)
		if err != nil {
			return nil, err
		}
		*opened = made
		return reply{"witnesses": witnesses}, nil
	}
	if *opened == nil {
		return nil, wrong{"other", asked.Command + " before open"}
	}
	switch asked.Command {
	case "stage":
		return reply{}, (*opened).stage(asked.Count)
	case "measure":
		return (*opened).measure(asked.Count)
	case "clear":
		return reply{}, (*opened).clear()
	case "close":
		return (*opened).close()
	}
	return nil, wrong{"other", "there is no command " + asked.Command}
}
