// Package primitives makes the operations of the experiment primitives ready: hashes, MACs, ciphers, key agreement and
// password hashes of Go's own crypto and of x/crypto.
package primitives

import (
	"crypto/subtle"
	"maps"
	"slices"

	"golang.org/x/sys/cpu"

	"sectax/go-probe/kit"
)

type family struct {
	algorithms []string
	prepare    func(algorithm string, inputs texts) (*kit.Operation, error)
}

var families = map[string]family{
	"hash":      {names(hashes), prepareHash},
	"mac":       {names(macs), prepareMAC},
	"aead-seal": {names(ciphers), prepareSeal},
	"aead-open": {names(ciphers), prepareOpen},
	"agree":     {names(exchanges), prepareAgree},
	"password":  {names(schemes), preparePassword},
}

func names[Entry any](table map[string]Entry) []string { return slices.Sorted(maps.Keys(table)) }

// With adds the operations, with the values of their parameter, to others.
func With(others map[string]map[string][]string) map[string]map[string][]string {
	for name, of := range families {
		others[name] = map[string][]string{"algorithm": of.algorithms}
	}
	return others
}

// Has says whether an operation is one of these.
func Has(operation string) bool { return families[operation].prepare != nil }

// Prepare makes an operation ready.
func Prepare(operation string, parameters, inputs map[string]string) (*kit.Operation, error) {
	of := families[operation]
	if !slices.Contains(of.algorithms, parameters["algorithm"]) {
		return nil, kit.Skipped("not in Go's crypto or x/crypto")
	}
	ready, err := of.prepare(parameters["algorithm"], inputs)
	if err == nil {
		ready.Witnesses["hardware"] = hardware()
	}
	return ready, err
}

// hardware names the instructions for cryptography that Go sees here; its crypto looks at the same flags.
func hardware() string {
	seen := ""
	for _, one := range []struct {
		name string
		has  bool
	}{
		{"AES", cpu.X86.HasAES || cpu.ARM64.HasAES}, {"PCLMULQDQ", cpu.X86.HasPCLMULQDQ}, {"PMULL", cpu.ARM64.HasPMULL},
		{"AVX2", cpu.X86.HasAVX2}, {"SHA2", cpu.ARM64.HasSHA2}, {"SHA512", cpu.ARM64.HasSHA512},
	} {
		if one.has {
			seen += " " + one.name
		}
	}
	return "Go sees:" + seen
}

type texts map[string]string

// bytes decodes inputs by name.
func (t texts) bytes(wanted ...string) (map[string][]byte, error) {
	read := map[string][]byte{}
	for _, name := range wanted {
		data, err := kit.Decode(t[name])
		if err != nil || t[name] == "" {
			return nil, kit.Failed("the input " + name + " is no base64url")
		}
		read[name] = data
	}
	return read, nil
}

// produces is the operation of a function that always makes the same bytes, in a buffer of its own.
func produces(makes func(out []byte) []byte, witnesses map[string]any) *kit.Operation {
	buffer := make([]byte, 0, 64)
	return &kit.Operation{
		Witnesses: witnesses,
		Run:       func() (int, bool) { return len(makes(buffer)), true },
		Artefact:  func() (string, error) { return kit.Encode(makes(nil)), nil },
		Accepts: func(shown string) bool {
			data, err := kit.Decode(shown)
			return err == nil && subtle.ConstantTimeCompare(data, makes(nil)) == 1
		},
	}
}
