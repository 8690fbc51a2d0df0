// Package authorizer checks that an event was signed with the shared key, and that what it carries has the agreed form.
package authorizer

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Settings say what to do with an event.
type Settings struct {
	scheme    scheme
	checks    bool // whether the token is checked
	unpacks   bool // whether data must be Base64 of the agreed MessagePack map; otherwise it is any text
	expires   bool // whether the map must hold an expiry that has not passed
	immediate bool // answer at once
	anatomy   bool // whether the answer says where the time went
}

// The order in which messages name them. Beside the schemes, two treatments for whoever measures: neither authorizes
// anyone. "immediate" answers at once, "none" does everything but the check.
var treatments = []string{"none", "immediate", "hmac-sha512", "raw-digests", "hmac-sha256", "blake2b", "hmac-sha512-expiry"}

// ReadSettings reads them from an environment. An error names no value of it.
func ReadSettings(lookup func(string) (string, bool)) (Settings, error) {
	treatment, err := choice(lookup, "TREATMENT", "hmac-sha512", treatments)
	if err != nil {
		return Settings{}, err
	}
	payload, err := choice(lookup, "PAYLOAD", "unpack", []string{"unpack", "opaque"})
	if err != nil {
		return Settings{}, err
	}
	anatomy, err := choice(lookup, "ANATOMY", "0", []string{"0", "1"})
	if err != nil {
		return Settings{}, err
	}
	settings := Settings{
		checks:    treatment != "none" && treatment != "immediate",
		unpacks:   payload == "unpack",
		expires:   treatment == "hmac-sha512-expiry",
		immediate: treatment == "immediate",
		anatomy:   anatomy == "1",
	}
	if settings.expires && !settings.unpacks {
		return Settings{}, errors.New("TREATMENT=hmac-sha512-expiry reads the payload, which PAYLOAD=opaque forbids")
	}
	key, err := sharedKey(lookup)
	if err != nil {
		return Settings{}, err
	}
	settings.scheme = newScheme(treatment, key)
	return settings, nil
}

func choice(lookup func(string) (string, bool), name, fallback string, known []string) (string, error) {
	value, set := lookup(name)
	if !set {
		return fallback, nil
	}
	for _, one := range known {
		if value == one {
			return value, nil
		}
	}
	return "", fmt.Errorf("%s is none of %s", name, strings.Join(known, ", "))
}

func sharedKey(lookup func(string) (string, bool)) ([]byte, error) {
	text, inText := lookup("SHARED_KEY")
	path, inFile := lookup("SHARED_KEY_FILE")
	if inText == inFile {
		return nil, errors.New("set one of SHARED_KEY and SHARED_KEY_FILE")
	}
	key := []byte(text)
	if inFile {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("SHARED_KEY_FILE cannot be read: %w", errors.Unwrap(err))
		}
		// An editor ends the last line; the key does not.
		key = bytes.TrimSuffix(bytes.TrimSuffix(content, []byte("\n")), []byte("\r"))
	}
	if len(key) == 0 {
		return nil, errors.New("the shared key is empty")
	}
	return key, nil
}
