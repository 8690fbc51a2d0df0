package authorizer

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
	"time"
)

// vectors are what the function is held to in every language.
var vectors = readVectors()

type vectorFile struct {
	Now       int64
	MACs      []struct{ Treatment, Source, Key, Data, MAC string }
	Published []struct {
		SharedKey string `json:"shared_key"`
		Salt      string
		Data      string
		Token     string
	}
	Cases []struct {
		Name        string
		Environment map[string]string
		Event       any
		Answer      Answer
	}
}

func readVectors() (read vectorFile) {
	content, err := os.ReadFile("../../vectors.json")
	if err == nil {
		err = json.Unmarshal(content, &read)
	}
	if err != nil {
		panic(err)
	}
	return read
}

// handlerFor gives the function as an environment sets it, at the moment that the vectors are made for.
func handlerFor(t *testing.T, environment map[string]string) Handler {
	t.Helper()
	settings, err := ReadSettings(lookupIn(environment))
	if err != nil {
		t.Fatal(err)
	}
	return New(settings, func() time.Time { return time.Unix(vectors.Now, 0) })
}

func lookupIn(environment map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, set := environment[name]
		return value, set
	}
}

func invoke(t *testing.T, handler Handler, event any) Answer {
	t.Helper()
	answer, err := handler(context.Background(), event)
	if err != nil {
		t.Fatalf("the function failed: %v", err)
	}
	return answer
}

func TestMACsAreThoseOfTheStandards(t *testing.T) {
	for _, vector := range vectors.MACs {
		scheme := newScheme(vector.Treatment, []byte("-"))
		key, _ := hex.DecodeString(vector.Key)
		data, _ := hex.DecodeString(vector.Data)
		mac := scheme.mac(key, data)
		if string(mac) != vector.MAC && hex.EncodeToString(mac) != vector.MAC || !scheme.matches(vector.MAC, mac) {
			t.Errorf("%s, %s: %x", vector.Treatment, vector.Source, mac)
		}
	}
}

func TestPublishedTokensAreGenuine(t *testing.T) {
	for _, vector := range vectors.Published {
		handler := handlerFor(t, map[string]string{"SHARED_KEY": vector.SharedKey, "PAYLOAD": "opaque"})
		event := map[string]any{"key": vector.Salt, "token": vector.Token, "data": vector.Data}
		if answer := invoke(t, handler, event); !answer.IsAuthorized {
			t.Errorf("%s: %s", vector.Data, answer.Reason)
		}
	}
}

func TestEveryEventHasItsAnswer(t *testing.T) {
	for _, one := range vectors.Cases {
		if answer := invoke(t, handlerFor(t, one.Environment), one.Event); answer != one.Answer {
			t.Errorf("%s: %+v", one.Name, answer)
		}
	}
}

func TestWithAClockBetweenTheStepsTheAnswerIsTheSame(t *testing.T) {
	for _, one := range vectors.Cases {
		one.Environment["ANATOMY"] = "1"
		answer := invoke(t, handlerFor(t, one.Environment), one.Event)
		delete(one.Environment, "ANATOMY")
		answer.Anatomy = nil
		if answer != one.Answer {
			t.Errorf("%s: %+v", one.Name, answer)
		}
	}
}
