package main

import (
	"strings"

	"sectax/kit"
)

// kindOf is the kind of an error; a connection that ends early is closed, whatever was being read.
func kindOf(err error) string {
	switch kind := kit.KindOf(err); {
	case kind == "short-body":
		return "closed"
	case (kind == "other" || kind == "connection") && strings.Contains(err.Error(), "tls: "):
		return "tls"
	default:
		return kind
	}
}
