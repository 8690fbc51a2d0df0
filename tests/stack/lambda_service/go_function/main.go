// A function in Go under AWS's own runtime client, for the tests of provided.al2023.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

type event struct {
	Name string `json:"name"`
}

type answer struct {
	Greeting string `json:"greeting"`
	Function string `json:"function"`
	ID       string `json:"id"`
}

func handle(ctx context.Context, given event) (answer, error) {
	about, _ := lambdacontext.FromContext(ctx)
	fmt.Println("greeting", given.Name)
	switch given.Name {
	case "":
		return answer{}, errors.New("nobody to greet")
	case "panic":
		panic("asked to")
	}
	return answer{"hello " + given.Name, os.Getenv("AWS_LAMBDA_FUNCTION_NAME"), about.AwsRequestID}, nil
}

func main() {
	lambda.Start(handle)
}
