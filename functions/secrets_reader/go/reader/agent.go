package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
)

const (
	agentAddress = "http://localhost:2773/secretsmanager/get"
	tokenHeader  = "X-Aws-Parameters-Secrets-Token"
	// Both are made by sectax's extension for this instance alone.
	tokenFile = "/tmp/secrets-agent.token"
	readyFile = "/tmp/secrets-agent.ready"
)

// agent is AWS's sidecar of this instance.
type agent struct {
	address string
	token   string
	initNs  *int64
}

// newAgent reads the token without which the sidecar refuses. AWS's own Lambda extension wants the session token of the
// function's role.
func newAgent() (*agent, error) {
	made := &agent{address: agentAddress, token: os.Getenv("AWS_SESSION_TOKEN")}
	if token, err := os.ReadFile(tokenFile); err == nil {
		made.token = string(token)
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if ready, err := os.ReadFile(readyFile); err == nil {
		took, err := strconv.ParseInt(strings.TrimSpace(string(ready)), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s holds no number", readyFile)
		}
		made.initNs = &took
	}
	return made, nil
}

// client waits for an answer by the transport's own timer: http.Client.Timeout makes a context for every call besides,
// which takes 2 µs or so of a hit. A body that stops in the middle ends with the invocation.
func (a *agent) client(keepAlive bool) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives:     !keepAlive,
		DisableCompression:    true,
		ResponseHeaderTimeout: answerWithin,
	}}
}

// question is what all requests have in common: the address is read and the header made once.
func (a *agent) question() (*http.Request, error) {
	made, err := http.NewRequest(http.MethodGet, a.address, nil)
	if err == nil {
		made.Header.Set(tokenHeader, a.token)
	}
	return made, err
}

// kept reads over one connection.
func (a *agent) kept() (Read, error) {
	caller := a.client(true)
	question, err := a.question()
	return func(ctx context.Context, name string) (string, error) { return ask(ctx, caller, question, name) }, err
}

// new reads over a new connection.
func (a *agent) new(ctx context.Context, name string) (string, error) {
	question, err := a.question()
	if err != nil {
		return "", err
	}
	return ask(ctx, a.client(false), question, name)
}

func ask(ctx context.Context, caller *http.Client, question *http.Request, name string) (string, error) {
	request, address := question.WithContext(ctx), *question.URL
	address.RawQuery = "secretId=" + url.QueryEscape(name)
	request.URL = &address
	answer, err := caller.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", err
	}
	// No failure counts as a fast reading.
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the sidecar answered %d", answer.StatusCode)
	}
	var secret struct{ SecretString *string }
	if err := json.Unmarshal(body, &secret); err != nil {
		return "", errors.New("the sidecar's answer is no JSON")
	}
	if secret.SecretString == nil {
		return "", errNoSecret
	}
	return *secret.SecretString, nil
}
