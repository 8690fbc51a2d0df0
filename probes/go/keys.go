package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"sectax/go-probe/kit"
)

// treatment is what prepare was asked for.
type treatment struct {
	algorithm
	perCall bool
	inputs  map[string]string
}

// keyPair has the parsed keys and the PEM that they came from. A shared secret is both keys.
type keyPair struct {
	private, public       any
	privatePEM, publicPEM []byte
	witnesses             map[string]any
}

var errNoPEM = errors.New("no PEM")

func parsePrivate(text []byte) (any, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errNoPEM
	}
	return x509.ParsePKCS8PrivateKey(block.Bytes)
}

func parsePublic(text []byte) (any, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errNoPEM
	}
	return x509.ParsePKIXPublicKey(block.Bytes)
}

// keys parses what the operation needs, and reads back what it is.
func (t treatment) keys(signs bool) (keyPair, error) {
	if t.keyType == "oct" {
		secret, err := decode(t.inputs["secret"])
		if err != nil || len(secret) == 0 {
			return keyPair{}, kit.Failed("the input secret is no base64url")
		}
		return keyPair{private: secret, public: secret, witnesses: describe(secret)}, nil
	}
	pair := keyPair{privatePEM: []byte(t.inputs["private_key_pem"]), publicPEM: []byte(t.inputs["public_key_pem"])}
	var err error
	if pair.public, err = parsePublic(pair.publicPEM); err != nil {
		return keyPair{}, kit.Failed("the input public_key_pem is no SubjectPublicKeyInfo PEM that Go reads")
	}
	pair.witnesses = describe(pair.public)
	if signs {
		if pair.private, err = parsePrivate(pair.privatePEM); err != nil {
			return keyPair{}, kit.Failed("the input private_key_pem is no PKCS#8 PEM that Go reads")
		}
		pair.witnesses = describe(pair.private)
	}
	for _, key := range []any{pair.private, pair.public} {
		if key == nil {
			continue
		}
		if read := describe(key); read["key_type"] != t.keyType || t.curve != "" && read["curve"] != t.curve {
			return keyPair{}, kit.Failed(fmt.Sprintf("%s takes %s %s keys, this one is %v", t.name, t.keyType, t.curve, read))
		}
	}
	return pair, nil
}

// describe reads type, size and curve off a parsed key.
func describe(key any) map[string]any {
	switch key := key.(type) {
	case []byte:
		return map[string]any{"key_type": "oct", "key_bits": 8 * len(key)}
	case *rsa.PrivateKey:
		return describe(&key.PublicKey)
	case *rsa.PublicKey:
		return map[string]any{"key_type": "RSA", "key_bits": key.N.BitLen()}
	case *ecdsa.PrivateKey:
		return describe(&key.PublicKey)
	case *ecdsa.PublicKey:
		curve := key.Curve.Params()
		return map[string]any{"key_type": "EC", "key_bits": curve.BitSize, "curve": curve.Name}
	case ed25519.PrivateKey:
		return describe(key.Public())
	case ed25519.PublicKey:
		return map[string]any{"key_type": "OKP", "key_bits": 8 * len(key), "curve": "Ed25519"}
	}
	return map[string]any{"key_type": fmt.Sprintf("%T", key)}
}
