package reader

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

const (
	connectWithin = 5 * time.Second
	answerWithin  = 10 * time.Second
)

var errNoSecret = errors.New("the answer holds no secret")

// client makes a client of Secrets Manager. AWS's own variables say where it is and whom to trust; nothing is tried
// twice.
func client(ctx context.Context, options ...func(*http.Transport)) (*secretsmanager.Client, error) {
	made := awshttp.NewBuildableClient().WithTimeout(answerWithin).WithTransportOptions(options...)
	made = made.WithDialerOptions(func(dialer *net.Dialer) { dialer.Timeout = connectWithin })
	loaded, err := config.LoadDefaultConfig(ctx,
		config.WithHTTPClient(made),
		config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),
	)
	if err != nil {
		return nil, err
	}
	return secretsmanager.NewFromConfig(loaded), nil
}

func readFrom(ctx context.Context, service *secretsmanager.Client, name string) (string, error) {
	answer, err := service.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &name})
	if err != nil {
		return "", err
	}
	if answer.SecretString == nil {
		return "", errNoSecret
	}
	return *answer.SecretString, nil
}

// directKept reads from the service itself, through a client that is kept.
func directKept(ctx context.Context) (Read, error) {
	service, err := client(ctx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, name string) (string, error) { return readFrom(ctx, service, name) }, nil
}

// directNew reads from the service itself, through a client that is made anew for every reading, with its connection.
func directNew(ctx context.Context, name string) (string, error) {
	// A transport that is dropped would hold its connection open.
	service, err := client(ctx, func(transport *http.Transport) { transport.DisableKeepAlives = true })
	if err != nil {
		return "", err
	}
	return readFrom(ctx, service, name)
}
