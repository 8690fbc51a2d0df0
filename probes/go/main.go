// The Go probe of sectax: times signatures of Go's own crypto and of golang-jwt. It speaks probes/PROTOCOL.md.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"sectax/go-probe/kit"
)

const golangJWT = "github.com/golang-jwt/jwt/v5"

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
		Operations: map[string]map[string][]string{"sign": parameters, "verify": parameters},
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
			if module.Path == golangJWT {
				found = append(found, kit.Named{Name: "golang-jwt", Version: module.Version})
			}
		}
	}
	return found
}

func prepare(operation string, parameters, inputs map[string]string) (*kit.Operation, error) {
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
