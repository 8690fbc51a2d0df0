// A function in Go under AWS's own runtime client, for the tests of provided.al2023.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

type event struct {
	Name  string `json:"name"`
	Until string `json:"until"`
}

type answer struct {
	Greeting string `json:"greeting"`
	Function string `json:"function"`
	ID       string `json:"id"`
}

func handle(ctx context.Context, given event) (any, error) {
	about, _ := lambdacontext.FromContext(ctx)
	fmt.Println("greeting", given.Name)
	switch given.Name {
	case "":
		return answer{}, errors.New("nobody to greet")
	case "stream":
		return stream(given.Until), nil
	case "panic":
		panic("asked to")
	}
	return answer{"hello " + given.Name, os.Getenv("AWS_LAMBDA_FUNCTION_NAME"), about.AwsRequestID}, nil
}

// stream sends one part, and the other when there is such a file.
func stream(until string) io.Reader {
	reader, writer := io.Pipe()
	go func() {
		fmt.Fprint(writer, "one")
		for _, err := os.Stat(until); err != nil; _, err = os.Stat(until) {
			time.Sleep(5 * time.Millisecond)
		}
		fmt.Fprint(writer, "two")
		writer.Close()
	}()
	return reader
}

func main() {
	lambda.Start(handle)
}
