// Command bootstrap is the function secrets_reader as AWS Lambda runs it on provided.al2023. Its handler names the way.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"secretsreader/reader"
)

func main() {
	handler, err := reader.New(context.Background(), os.Getenv("_HANDLER"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "secrets_reader:", err)
		os.Exit(1)
	}
	lambda.Start(handler)
}
