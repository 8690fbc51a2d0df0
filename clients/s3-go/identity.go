package main

import (
	"runtime"
	"runtime/debug"
	"strings"

	"sectax/kit"
)

func hello() kit.Reply {
	return kit.Reply{
		"client":    "go",
		"runtime":   runtime.Version(),
		"libraries": libraries(),
		"clock":     kit.Clock(),
	}
}

// libraries names the modules of AWS that this program was built with.
func libraries() map[string]string {
	found := map[string]string{}
	built, ok := debug.ReadBuildInfo()
	if !ok {
		return found
	}
	for _, module := range built.Deps {
		switch module.Path {
		case "github.com/aws/aws-sdk-go-v2":
			found["aws-sdk-go-v2"] = module.Version
		case "github.com/aws/aws-sdk-go-v2/service/s3":
			found["service/s3"] = module.Version
		case "github.com/aws/smithy-go":
			found["smithy-go"] = module.Version
		}
	}
	return found
}

func clean(text string) string {
	return strings.Trim(text, "\"")
}
