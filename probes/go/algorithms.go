package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha256"
	_ "crypto/sha512"
	"maps"
	"slices"

	"github.com/golang-jwt/jwt/v5"
)

// algorithm is how Go's own crypto signs and verifies, and what golang-jwt calls the same. Signatures of sign and verify
// are in the form of Go's crypto; ECDSA's is DER there and r‖s in JOSE.
type algorithm struct {
	name, keyType, curve string
	package_             string
	method               jwt.SigningMethod
	sign                 func(key any, data []byte) ([]byte, error)
	verify               func(key any, data, signature []byte) bool
}

// A new algorithm is a row here, and a scheme below if its kind is new.
var algorithms = byName(
	hmacScheme("HS256", crypto.SHA256, jwt.SigningMethodHS256),
	hmacScheme("HS384", crypto.SHA384, jwt.SigningMethodHS384),
	hmacScheme("HS512", crypto.SHA512, jwt.SigningMethodHS512),
	pkcs1Scheme("RS256", crypto.SHA256, jwt.SigningMethodRS256),
	pkcs1Scheme("RS384", crypto.SHA384, jwt.SigningMethodRS384),
	pkcs1Scheme("RS512", crypto.SHA512, jwt.SigningMethodRS512),
	pssScheme("PS256", crypto.SHA256, jwt.SigningMethodPS256),
	pssScheme("PS384", crypto.SHA384, jwt.SigningMethodPS384),
	pssScheme("PS512", crypto.SHA512, jwt.SigningMethodPS512),
	ecdsaScheme("ES256", "P-256", crypto.SHA256, jwt.SigningMethodES256),
	ecdsaScheme("ES384", "P-384", crypto.SHA384, jwt.SigningMethodES384),
	ecdsaScheme("ES512", "P-521", crypto.SHA512, jwt.SigningMethodES512),
	ed25519Scheme("EdDSA", jwt.SigningMethodEdDSA),
)

func byName(known ...algorithm) map[string]algorithm {
	named := map[string]algorithm{}
	for _, one := range known {
		named[one.name] = one
	}
	return named
}

func algorithmNames() []string { return slices.Sorted(maps.Keys(algorithms)) }

func digest(hash crypto.Hash, data []byte) []byte {
	state := hash.New()
	state.Write(data)
	return state.Sum(nil)
}

func hmacScheme(name string, hash crypto.Hash, method jwt.SigningMethod) algorithm {
	code := func(key any, data []byte) []byte {
		state := hmac.New(hash.New, key.([]byte))
		state.Write(data)
		return state.Sum(nil)
	}
	return algorithm{
		name, "oct", "", "crypto/hmac", method,
		func(key any, data []byte) ([]byte, error) { return code(key, data), nil },
		func(key any, data, signature []byte) bool { return hmac.Equal(code(key, data), signature) },
	}
}

func pkcs1Scheme(name string, hash crypto.Hash, method jwt.SigningMethod) algorithm {
	return algorithm{
		name, "RSA", "", "crypto/rsa", method,
		func(key any, data []byte) ([]byte, error) {
			return rsa.SignPKCS1v15(rand.Reader, key.(*rsa.PrivateKey), hash, digest(hash, data))
		},
		func(key any, data, signature []byte) bool {
			return rsa.VerifyPKCS1v15(key.(*rsa.PublicKey), hash, digest(hash, data), signature) == nil
		},
	}
}

func pssScheme(name string, hash crypto.Hash, method jwt.SigningMethod) algorithm {
	// RFC 7518, 3.5: the salt is as long as the hash.
	options := &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}
	return algorithm{
		name, "RSA", "", "crypto/rsa", method,
		func(key any, data []byte) ([]byte, error) {
			return rsa.SignPSS(rand.Reader, key.(*rsa.PrivateKey), hash, digest(hash, data), options)
		},
		func(key any, data, signature []byte) bool {
			return rsa.VerifyPSS(key.(*rsa.PublicKey), hash, digest(hash, data), signature, options) == nil
		},
	}
}

func ecdsaScheme(name, curve string, hash crypto.Hash, method jwt.SigningMethod) algorithm {
	return algorithm{
		name, "EC", curve, "crypto/ecdsa", method,
		func(key any, data []byte) ([]byte, error) {
			return ecdsa.SignASN1(rand.Reader, key.(*ecdsa.PrivateKey), digest(hash, data))
		},
		func(key any, data, signature []byte) bool {
			return ecdsa.VerifyASN1(key.(*ecdsa.PublicKey), digest(hash, data), signature)
		},
	}
}

func ed25519Scheme(name string, method jwt.SigningMethod) algorithm {
	return algorithm{
		name, "OKP", "Ed25519", "crypto/ed25519", method,
		func(key any, data []byte) ([]byte, error) { return ed25519.Sign(key.(ed25519.PrivateKey), data), nil },
		func(key any, data, signature []byte) bool {
			return ed25519.Verify(key.(ed25519.PublicKey), data, signature)
		},
	}
}
