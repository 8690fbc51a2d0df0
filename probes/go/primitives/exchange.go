package primitives

import (
	"crypto/ecdh"
	"crypto/mlkem"
	"crypto/rand"
	"crypto/subtle"
	"strings"

	"sectax/go-probe/kit"
)

// exchange is a key agreement; what is sent is bytes.
type exchange struct {
	load    func(raw []byte) (key any, err error)
	start   func() (key any, public []byte)
	respond func(public []byte) (message, secret []byte, err error)
	finish  func(key any, message []byte) ([]byte, error)
}

var exchanges = map[string]exchange{
	"x25519":         curveExchange(ecdh.X25519()),
	"p-256":          curveExchange(ecdh.P256()),
	"ml-kem-768":     mlkemExchange,
	"x25519mlkem768": hybridExchange,
}

func curveExchange(curve ecdh.Curve) exchange {
	finish := func(key any, message []byte) ([]byte, error) {
		other, err := curve.NewPublicKey(message)
		if err != nil {
			return nil, err
		}
		return key.(*ecdh.PrivateKey).ECDH(other)
	}
	fresh := func() *ecdh.PrivateKey {
		key, err := curve.GenerateKey(rand.Reader)
		if err != nil {
			panic(err)
		}
		return key
	}
	return exchange{
		func(raw []byte) (any, error) { return curve.NewPrivateKey(raw) },
		func() (any, []byte) { key := fresh(); return key, key.PublicKey().Bytes() },
		func(public []byte) ([]byte, []byte, error) {
			key := fresh()
			secret, err := finish(key, public)
			return key.PublicKey().Bytes(), secret, err
		},
		finish,
	}
}

var mlkemExchange = exchange{
	func(raw []byte) (any, error) { return mlkem.NewDecapsulationKey768(raw) },
	func() (any, []byte) {
		key, err := mlkem.GenerateKey768()
		if err != nil {
			panic(err)
		}
		return key, key.EncapsulationKey().Bytes()
	},
	func(public []byte) ([]byte, []byte, error) {
		key, err := mlkem.NewEncapsulationKey768(public)
		if err != nil {
			return nil, nil, err
		}
		secret, message := key.Encapsulate()
		return message, secret, nil
	},
	func(key any, message []byte) ([]byte, error) {
		return key.(*mlkem.DecapsulationKey768).Decapsulate(message)
	},
}

// ML-KEM goes before X25519 in all that is sent, and in the secret (draft-ietf-tls-ecdhe-mlkem).
var hybridExchange = exchange{
	func(raw []byte) (any, error) {
		if len(raw) != mlkem.SeedSize+32 {
			return nil, kit.Failed("a key of another length")
		}
		one, err := mlkemExchange.load(raw[:mlkem.SeedSize])
		if err != nil {
			return nil, err
		}
		two, err := curveExchange(ecdh.X25519()).load(raw[mlkem.SeedSize:])
		return [2]any{one, two}, err
	},
	func() (any, []byte) {
		one, first := mlkemExchange.start()
		two, second := curve.start()
		return [2]any{one, two}, append(first, second...)
	},
	func(public []byte) ([]byte, []byte, error) {
		first, one, err := mlkemExchange.respond(public[:mlkem.EncapsulationKeySize768])
		if err != nil {
			return nil, nil, err
		}
		second, two, err := curve.respond(public[mlkem.EncapsulationKeySize768:])
		return append(first, second...), append(one, two...), err
	},
	func(key any, message []byte) ([]byte, error) {
		if len(message) < mlkem.CiphertextSize768 {
			return nil, kit.Failed("a message of another length")
		}
		one, err := mlkemExchange.finish(key.([2]any)[0], message[:mlkem.CiphertextSize768])
		if err != nil {
			return nil, err
		}
		two, err := curve.finish(key.([2]any)[1], message[mlkem.CiphertextSize768:])
		return append(one, two...), err
	},
}

var curve = curveExchange(ecdh.X25519())

func prepareAgree(algorithm string, inputs texts) (*kit.Operation, error) {
	read, err := inputs.bytes("private_key", "public_key")
	if err != nil {
		return nil, err
	}
	with := exchanges[algorithm]
	own, err := with.load(read["private_key"])
	if err != nil {
		return nil, kit.Failed("the input private_key is not a key for " + algorithm)
	}
	_, public := with.start()
	return &kit.Operation{
		Witnesses: map[string]any{"public_key_bytes": len(public), "implementation": "crypto"},
		Run: func() (int, bool) {
			key, sent := with.start()
			message, secret, err := with.respond(sent)
			if err != nil {
				return 0, false
			}
			agreed, err := with.finish(key, message)
			return len(agreed), err == nil && subtle.ConstantTimeCompare(agreed, secret) == 1
		},
		Artefact: func() (string, error) {
			message, secret, err := with.respond(read["public_key"])
			return kit.Encode(message) + "." + kit.Encode(secret), err
		},
		Accepts: func(shown string) bool {
			sent, agreed, _ := strings.Cut(shown, ".")
			message, err := kit.Decode(sent)
			if err != nil {
				return false
			}
			secret, err := with.finish(own, message)
			return err == nil && kit.Encode(secret) == agreed
		},
	}, nil
}
