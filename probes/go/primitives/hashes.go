package primitives

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"hash"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/poly1305" //nolint:staticcheck // deprecated in favour of ChaCha20-Poly1305; it is the MAC by itself

	"sectax/go-probe/kit"
)

type summed struct {
	implementation string
	sum            func(out, data []byte) []byte
}

var hashes = map[string]summed{
	"sha-256":  {"crypto/sha256", func(out, data []byte) []byte { sum := sha256.Sum256(data); return append(out, sum[:]...) }},
	"sha-512":  {"crypto/sha512", func(out, data []byte) []byte { sum := sha512.Sum512(data); return append(out, sum[:]...) }},
	"sha3-256": {"crypto/sha3", func(out, data []byte) []byte { sum := sha3.Sum256(data); return append(out, sum[:]...) }},
	"blake2b":  {"x/crypto/blake2b", func(out, data []byte) []byte { sum := blake2b.Sum512(data); return append(out, sum[:]...) }},
}

func prepareHash(algorithm string, inputs texts) (*kit.Operation, error) {
	read, err := inputs.bytes("data")
	if err != nil {
		return nil, err
	}
	data, chosen := read["data"], hashes[algorithm]
	witnesses := map[string]any{"data_bytes": len(data), "implementation": chosen.implementation}
	return produces(func(out []byte) []byte { return chosen.sum(out, data) }, witnesses), nil
}

type authenticated struct {
	implementation string
	tag            func(out, key, data []byte) []byte
}

// Each message has a MAC of its own, made of the key's bytes.
var macs = map[string]authenticated{
	"hmac-sha-256":  {"crypto/hmac", hmacTag(sha256.New)},
	"hmac-sha-512":  {"crypto/hmac", hmacTag(sha512.New)},
	"blake2b-keyed": {"x/crypto/blake2b", blake2bTag},
	"poly1305":      {"x/crypto/poly1305", poly1305Tag},
}

func hmacTag(new func() hash.Hash) func(out, key, data []byte) []byte {
	return func(out, key, data []byte) []byte {
		state := hmac.New(new, key)
		state.Write(data)
		return state.Sum(out)
	}
}

func blake2bTag(out, key, data []byte) []byte {
	state, err := blake2b.New256(key)
	if err != nil {
		panic("a key of another length")
	}
	state.Write(data)
	return state.Sum(out)
}

func poly1305Tag(out, key, data []byte) []byte {
	var tag [poly1305.TagSize]byte
	poly1305.Sum(&tag, data, (*[32]byte)(key))
	return append(out, tag[:]...)
}

func prepareMAC(algorithm string, inputs texts) (*kit.Operation, error) {
	read, err := inputs.bytes("key", "data")
	if err != nil {
		return nil, err
	}
	key, data, chosen := read["key"], read["data"], macs[algorithm]
	witnesses := map[string]any{"key_bits": 8 * len(key), "data_bytes": len(data), "implementation": chosen.implementation}
	return produces(func(out []byte) []byte { return chosen.tag(out, key, data) }, witnesses), nil
}
