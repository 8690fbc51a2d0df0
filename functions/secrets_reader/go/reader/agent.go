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

func transport(keepAlive bool) *http.Transport {
	return &http.Transport{DisableKeepAlives: !keepAlive, DisableCompression: true}
}

// kept reads over one connection.
func (a *agent) kept() Read {
	caller := &http.Client{Transport: transport(true), Timeout: answerWithin}
	return func(ctx context.Context, name string) (string, error) { return a.ask(ctx, caller, name) }
}

// new reads over a new connection.
func (a *agent) new(ctx context.Context, name string) (string, error) {
	return a.ask(ctx, &http.Client{Transport: transport(false), Timeout: answerWithin}, name)
}

func (a *agent) ask(ctx context.Context, caller *http.Client, name string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.address+"?secretId="+url.QueryEscape(name), nil)
	if err != nil {
		return "", err
	}
	request.Header.Set(tokenHeader, a.token)
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
