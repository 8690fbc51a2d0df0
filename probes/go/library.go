package main

import (
	"encoding/json"

	"github.com/golang-jwt/jwt/v5"

	"sectax/go-probe/kit"
)

// library makes complete tokens ready, by golang-jwt.
func library(operation string, use treatment, pair keyPair) (*kit.Operation, error) {
	pair.witnesses["implementation"] = "golang-jwt/" + use.package_
	private, public := libraryKeys(use, pair)
	parser := jwt.NewParser(jwt.WithValidMethods([]string{use.method.Alg()}))
	find := func(*jwt.Token) (any, error) { return public() }
	accepts := func(token string) bool {
		_, err := parser.Parse(token, find)
		return err == nil
	}
	ready := &kit.Operation{Witnesses: pair.witnesses, Accepts: accepts}
	if operation == "verify" {
		token := use.inputs["token"]
		if _, _, err := split(token); err != nil {
			return nil, kit.Failed("the input token is no compact JWS")
		}
		ready.Run = func() (int, bool) { return 0, accepts(token) }
		ready.ReadBack = func(string) map[string]any { return map[string]any{"alg": algOf(token)} }
		return ready, nil
	}
	var claims jwt.MapClaims
	if json.Unmarshal([]byte(use.inputs["claims"]), &claims) != nil || claims == nil {
		return nil, kit.Failed("the input claims is no JSON object")
	}
	ready.Artefact = func() (string, error) {
		key, err := private()
		if err != nil {
			return "", err
		}
		return jwt.NewWithClaims(use.method, claims).SignedString(key)
	}
	sign := ready.Artefact
	ready.Run = func() (int, bool) {
		token, err := sign()
		return len(token), err == nil
	}
	ready.ReadBack = func(token string) map[string]any { return map[string]any{"alg": algOf(token)} }
	return ready, nil
}

// libraryKeys gives what golang-jwt is handed: the key as it was parsed, or parsed by its own functions in every call.
func libraryKeys(use treatment, pair keyPair) (private, public func() (any, error)) {
	if use.perCall {
		switch use.keyType {
		case "RSA":
			return func() (any, error) { return jwt.ParseRSAPrivateKeyFromPEM(pair.privatePEM) },
				func() (any, error) { return jwt.ParseRSAPublicKeyFromPEM(pair.publicPEM) }
		case "EC":
			return func() (any, error) { return jwt.ParseECPrivateKeyFromPEM(pair.privatePEM) },
				func() (any, error) { return jwt.ParseECPublicKeyFromPEM(pair.publicPEM) }
		case "OKP":
			return func() (any, error) { return jwt.ParseEdPrivateKeyFromPEM(pair.privatePEM) },
				func() (any, error) { return jwt.ParseEdPublicKeyFromPEM(pair.publicPEM) }
		}
	}
	return func() (any, error) { return pair.private, nil }, func() (any, error) { return pair.public, nil }
}
