// The Go probe of sectax: times what Go's own crypto, x/crypto and golang-jwt do. It speaks probes/PROTOCOL.md.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"sectax/go-probe/kit"
	"sectax/go-probe/primitives"
)

var modules = map[string]string{"github.com/golang-jwt/jwt/v5": "golang-jwt", "golang.org/x/crypto": "x/crypto"}

func main() {
	parameters := map[string][]string{
		"algorithm": algorithmNames(),
		"key_use":   {"parsed-once", "parsed-per-call"},
		"layer":     {"primitive", "library"},
	}
	probe := kit.Probe{
		Name:       "go",
		Version:    "1",
		Libraries:  libraries(),
		Operations: primitives.With(map[string]map[string][]string{"sign": parameters, "verify": parameters}),
		Prepare:    prepare,
	}
	if err := probe.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// libraries reads the versions off this program. Go's own crypto is of Go's version.
func libraries() []kit.Named {
	found := []kit.Named{{Name: "crypto", Version: runtime.Version()}}
	if built, known := debug.ReadBuildInfo(); known {
		for _, module := range built.Deps {
			if name := modules[module.Path]; name != "" {
				found = append(found, kit.Named{Name: name, Version: module.Version})
			}
		}
	}
	return found
}

func prepare(operation string, parameters, inputs map[string]string) (*kit.Operation, error) {
	if primitives.Has(operation) {
		return primitives.Prepare(operation, parameters, inputs)
	}
	chosen, known := algorithms[parameters["algorithm"]]
	if !known { // others may have it
		return nil, kit.Skipped("not in Go's crypto")
	}
	perCall := parameters["key_use"] == "parsed-per-call"
	if !perCall && parameters["key_use"] != "parsed-once" {
		return nil, kit.Failed("key_use must be parsed-once or parsed-per-call")
	}
	use := treatment{chosen, perCall, inputs}
	prepared, err := use.keys(operation == "sign")
	if err != nil {
		return nil, err
	}
	switch parameters["layer"] {
	case "primitive":
		return primitive(operation, use, prepared)
	case "library":
		return library(operation, use, prepared)
	}
	return nil, kit.Failed("layer must be primitive or library")
}
