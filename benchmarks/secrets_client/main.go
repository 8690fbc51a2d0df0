// Command secrets_client hits AWS's sidecar outside of a function: with the function's own client, and with one goroutine.
//
// Each line on stdin is a way, a number of hits and the name of a secret; its answer is the nanoseconds that the hits took
// and the CPU time of this process. AWS_SESSION_TOKEN is the sidecar's token.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"time"

	"secretsreader/reader"
)

const (
	address = "localhost:2773"
	settle  = 100
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "secrets_client:", err)
		os.Exit(1)
	}
}

func serve() error {
	ways := map[string]func(string, int) (time.Duration, error){"function": ofFunction, "one-goroutine": ofOneGoroutine}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var way, name string
		var count int
		if _, err := fmt.Sscan(lines.Text(), &way, &count, &name); err != nil {
			return err
		}
		hit, known := ways[way]
		if !known {
			return fmt.Errorf("there is no way %q", way)
		}
		before := cpu()
		took, err := hit(name, count)
		if err != nil {
			return err
		}
		fmt.Println(took.Nanoseconds(), (cpu()-before)*int64(count)/int64(count+settle))
	}
	return nil
}

// ofFunction is what the function's handler itself does and says.
func ofFunction(name string, count int) (time.Duration, error) {
	handle, err := reader.New(context.Background(), "sidecar")
	if err != nil {
		return 0, err
	}
	names := make([]string, settle+count)
	for place := range names {
		names[place] = name
	}
	answer, err := handle(context.Background(), reader.Event{Names: names, Repeat: 1, Settle: settle})
	var took int64
	for _, each := range answer.TimesNs {
		took += each
	}
	return time.Duration(took), err
}

// ofOneGoroutine writes, waits and reads in one goroutine, with net/http's own writing and reading of HTTP.
func ofOneGoroutine(name string, count int) (time.Duration, error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	question, err := http.NewRequest(http.MethodGet, "http://"+address+"/secretsmanager/get?secretId="+url.QueryEscape(name), nil)
	if err != nil {
		return 0, err
	}
	question.Header.Set("X-Aws-Parameters-Secrets-Token", os.Getenv("AWS_SESSION_TOKEN"))
	in, out := bufio.NewReader(connection), bufio.NewWriter(connection)
	var took time.Duration
	for turn := range settle + count {
		began := time.Now()
		if err := ask(question, in, out); err != nil {
			return 0, err
		}
		if turn >= settle {
			took += time.Since(began)
		}
	}
	return took, nil
}

func ask(question *http.Request, in *bufio.Reader, out *bufio.Writer) error {
	if err := errors.Join(question.Write(out), out.Flush()); err != nil {
		return err
	}
	answer, err := http.ReadResponse(in, question)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var secret struct{ SecretString *string }
	if err := json.NewDecoder(answer.Body).Decode(&secret); err != nil || secret.SecretString == nil {
		return fmt.Errorf("the sidecar answered %d without a secret", answer.StatusCode)
	}
	return nil
}

func cpu() int64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return used.Utime.Nano() + used.Stime.Nano()
}
