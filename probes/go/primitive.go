package main

import (
	"sectax/go-probe/kit"
)

// primitive makes the bare signature ready: of Go's own crypto, over bytes that are at hand.
func primitive(operation string, use treatment, pair keyPair) (*kit.Operation, error) {
	pair.witnesses["implementation"] = use.package_
	ready := &kit.Operation{Witnesses: pair.witnesses}
	ready.Accepts = func(token string) bool {
		run, err := primitiveVerify(use, pair, token)
		if err != nil {
			return false
		}
		_, right := run()
		return right
	}
	if operation == "verify" {
		run, err := primitiveVerify(use, pair, use.inputs["token"])
		if err != nil {
			return nil, kit.Failed("the input token is no compact JWS")
		}
		ready.Run = run
		ready.ReadBack = func(string) map[string]any { return map[string]any{"alg": algOf(use.inputs["token"])} }
		return ready, nil
	}
	text := use.inputs["signing_input"]
	if text == "" {
		return nil, kit.Failed("the input signing_input is missing")
	}
	sign := primitiveSign(use, pair, []byte(text))
	ready.Run = func() (int, bool) {
		signature, err := sign()
		return len(signature), err == nil
	}
	ready.Artefact = func() (string, error) {
		signature, err := sign()
		if err != nil {
			return "", err
		}
		joined, err := use.toJOSE(signature)
		return text + "." + encode(joined), err
	}
	ready.ReadBack = func(token string) map[string]any { return map[string]any{"alg": algOf(token)} }
	return ready, nil
}

func primitiveSign(use treatment, pair keyPair, data []byte) func() ([]byte, error) {
	sign, key, text := use.sign, pair.private, pair.privatePEM
	if !use.perCall || use.keyType == "oct" {
		return func() ([]byte, error) { return sign(key, data) }
	}
	return func() ([]byte, error) {
		key, err := parsePrivate(text)
		if err != nil {
			return nil, err
		}
		return sign(key, data)
	}
}

func primitiveVerify(use treatment, pair keyPair, token string) (func() (int, bool), error) {
	data, joined, err := split(token)
	if err != nil {
		return nil, err
	}
	signature, err := use.fromJOSE(joined)
	if err != nil {
		return nil, err
	}
	verify, key, text := use.verify, pair.public, pair.publicPEM
	if !use.perCall || use.keyType == "oct" {
		return func() (int, bool) { return 0, verify(key, data, signature) }, nil
	}
	return func() (int, bool) {
		key, err := parsePublic(text)
		return 0, err == nil && verify(key, data, signature)
	}, nil
}
