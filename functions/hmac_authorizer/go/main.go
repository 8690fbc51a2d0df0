// Command bootstrap is the function hmac_authorizer as AWS Lambda runs it on provided.al2023.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"hmacauthorizer/authorizer"
)

func main() {
	settings, err := authorizer.ReadSettings(os.LookupEnv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "hmac_authorizer:", err)
		os.Exit(1)
	}
	lambda.Start(authorizer.New(settings, time.Now))
}
