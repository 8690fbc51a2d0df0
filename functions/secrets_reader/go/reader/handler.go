// Package reader reads secrets in one of several ways, and says how long each reading took by its own clock.
package reader

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// Event says what is to be read: every name, or the first one Repeat times as one batch; the first Settle readings are
// made and not told.
type Event struct {
	Names  []string `json:"names"`
	Repeat int      `json:"repeat"`
	Settle int      `json:"settle"`
	Nonce  string   `json:"nonce"`
}

// Answer never holds a secret: the proof is a hash over the nonce and all that was read.
type Answer struct {
	TimesNs       []int64          `json:"times_ns"`
	Proof         string           `json:"proof"`
	PartsNs       map[string]int64 `json:"parts_ns"`
	SidecarInitNs *int64           `json:"sidecar_init_ns,omitempty"`
}

// Read gives the secret of a name.
type Read func(ctx context.Context, name string) (string, error)

// Handler is what Lambda calls.
type Handler func(context.Context, Event) (Answer, error)

// New makes the handler of a way once: an invocation asks no more what was set.
func New(ctx context.Context, way string) (Handler, error) {
	read, sidecarInit, err := makeRead(ctx, way)
	if err != nil {
		return nil, err
	}
	return handlerOf(read, sidecarInit), nil
}

func handlerOf(read Read, sidecarInit *int64) Handler {
	return func(ctx context.Context, event Event) (Answer, error) {
		times, values, parts, err := take(ctx, read, event)
		if err != nil {
			return Answer{}, err
		}
		seen := sha256.New()
		seen.Write([]byte(event.Nonce))
		for _, value := range values {
			seen.Write([]byte(value))
		}
		return Answer{times, hex.EncodeToString(seen.Sum(nil)), parts, sidecarInit}, nil
	}
}

func take(ctx context.Context, read Read, event Event) ([]int64, []string, map[string]int64, error) {
	if len(event.Names) == 0 || event.Settle >= len(event.Names) && event.Repeat <= 1 {
		return nil, nil, nil, fmt.Errorf("nothing is left to read: %d names, %d to settle", len(event.Names), event.Settle)
	}
	if event.Repeat > 1 {
		took, value, err := batch(ctx, read, event.Names[0], event.Repeat, event.Settle)
		return []int64{took}, []string{value}, map[string]int64{}, err
	}
	for _, name := range event.Names[:event.Settle] {
		if _, err := read(ctx, name); err != nil {
			return nil, nil, nil, err
		}
	}
	names := event.Names[event.Settle:]
	times, values := make([]int64, 0, len(names)), make([]string, 0, len(names))
	parts := &parts{}
	watched := parts.watch(ctx)
	for _, name := range names {
		began := time.Now()
		value, err := read(watched, name)
		took := time.Since(began)
		if err != nil {
			return nil, nil, nil, err
		}
		times, values = append(times, took.Nanoseconds()), append(values, value)
	}
	return times, values, parts.told(), nil
}

// batch times count readings together: one alone would be lost in the clock's own time.
func batch(ctx context.Context, read Read, name string, count, settle int) (int64, string, error) {
	for range settle {
		if _, err := read(ctx, name); err != nil {
			return 0, "", err
		}
	}
	began := time.Now()
	for range count {
		if _, err := read(ctx, name); err != nil {
			return 0, "", err
		}
	}
	took := time.Since(began)
	value, err := read(ctx, name)
	return took.Nanoseconds(), value, err
}
