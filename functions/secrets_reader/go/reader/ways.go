package reader

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"
)

// makeRead makes the way that a handler names, and says how long a sidecar took to be ready where there is one that
// tells.
func makeRead(ctx context.Context, way string) (Read, *int64, error) {
	switch way {
	case "dictionary":
		direct, err := directKept(ctx)
		if err != nil {
			return nil, nil, err
		}
		ttl, err := ttl()
		return dictionary(direct, ttl), nil, err
	case "direct":
		read, err := directKept(ctx)
		return read, nil, err
	case "direct_new":
		return directNew, nil, nil
	case "sidecar", "sidecar_new":
		agent, err := newAgent()
		if err != nil {
			return nil, nil, err
		}
		if way == "sidecar" {
			read, err := agent.kept()
			return read, agent.initNs, err
		}
		return agent.new, agent.initNs, nil
	}
	return nil, nil, fmt.Errorf("the handler %q is no way to a secret", way)
}

// ttl is how long a dictionary may use what it keeps, as SECRETS_TTL says in whole seconds; zero is for good.
func ttl() (time.Duration, error) {
	given, set := os.LookupEnv("SECRETS_TTL")
	if !set {
		return 0, nil
	}
	seconds, err := strconv.ParseUint(given, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("SECRETS_TTL is no number of seconds")
	}
	return time.Duration(seconds) * time.Second, nil
}

type kept struct {
	value string
	until time.Time
}

// dictionary keeps what it has read once, for good or until the TTL is over.
func dictionary(direct Read, ttl time.Duration) Read {
	if ttl == 0 {
		known := map[string]string{}
		return func(ctx context.Context, name string) (string, error) {
			if value, found := known[name]; found {
				return value, nil
			}
			value, err := direct(ctx, name)
			if err == nil {
				known[name] = value
			}
			return value, err
		}
	}
	known := map[string]kept{}
	return func(ctx context.Context, name string) (string, error) {
		if found, is := known[name]; is && time.Now().Before(found.until) {
			return found.value, nil
		}
		value, err := direct(ctx, name)
		if err == nil {
			known[name] = kept{value, time.Now().Add(ttl)}
		}
		return value, err
	}
}
