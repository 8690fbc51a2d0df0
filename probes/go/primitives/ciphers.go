package primitives

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"

	"golang.org/x/crypto/chacha20poly1305"

	"sectax/go-probe/kit"
)

// The object with the key is made once. There is no additional data.
var ciphers = map[string]func(key []byte) (cipher.AEAD, error){
	"aes-256-gcm":       gcm,
	"aes-128-gcm":       gcm,
	"chacha20-poly1305": chacha20poly1305.New,
}

var implementations = map[string]string{"chacha20-poly1305": "x/crypto/chacha20poly1305"}

func gcm(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func made(algorithm string, key []byte) (cipher.AEAD, map[string]any, error) {
	box, err := ciphers[algorithm](key)
	if err != nil {
		return nil, nil, kit.Failed("the input key does not fit")
	}
	implementation := implementations[algorithm]
	if implementation == "" {
		implementation = "crypto/cipher"
	}
	return box, map[string]any{"key_bits": 8 * len(key), "implementation": implementation}, nil
}

func opener(box cipher.AEAD, sealed []byte) func(out []byte) ([]byte, error) {
	if len(sealed) < box.NonceSize()+box.Overhead() {
		return func([]byte) ([]byte, error) { return nil, kit.Failed("too short") }
	}
	nonce, body := sealed[:box.NonceSize()], sealed[box.NonceSize():]
	return func(out []byte) ([]byte, error) { return box.Open(out, nonce, body, nil) }
}

func accepts(box cipher.AEAD) func(shown string) bool {
	return func(shown string) bool {
		sealed, err := kit.Decode(shown)
		if err != nil {
			return false
		}
		_, err = opener(box, sealed)(nil)
		return err == nil
	}
}

// prepareSeal counts the nonce up in every operation, from a random one on, as whoever sends must.
func prepareSeal(algorithm string, inputs texts) (*kit.Operation, error) {
	read, err := inputs.bytes("key", "data")
	if err != nil {
		return nil, err
	}
	box, witnesses, err := made(algorithm, read["key"])
	if err != nil {
		return nil, err
	}
	data, nonce := read["data"], make([]byte, box.NonceSize())
	rand.Read(nonce)
	seal := func(out []byte) []byte {
		binary.BigEndian.PutUint64(nonce[4:], binary.BigEndian.Uint64(nonce[4:])+1)
		return box.Seal(out, nonce, data, nil)
	}
	witnesses["data_bytes"] = len(data)
	buffer := make([]byte, 0, len(data)+box.Overhead())
	return &kit.Operation{
		Witnesses: witnesses,
		Run:       func() (int, bool) { return len(seal(buffer)), true },
		Artefact: func() (string, error) {
			sealed := seal(nil)
			return kit.Encode(append(append([]byte{}, nonce...), sealed...)), nil
		},
		Accepts: accepts(box),
	}, nil
}

func prepareOpen(algorithm string, inputs texts) (*kit.Operation, error) {
	read, err := inputs.bytes("key", "sealed")
	if err != nil {
		return nil, err
	}
	box, witnesses, err := made(algorithm, read["key"])
	if err != nil {
		return nil, err
	}
	open := opener(box, read["sealed"])
	buffer := make([]byte, 0, len(read["sealed"]))
	witnesses["data_bytes"] = len(read["sealed"]) - box.NonceSize() - box.Overhead()
	return &kit.Operation{
		Witnesses: witnesses,
		Run: func() (int, bool) {
			data, err := open(buffer)
			return len(data), err == nil
		},
		Artefact: func() (string, error) {
			data, err := open(nil)
			return kit.Encode(data), err
		},
		Accepts: accepts(box),
	}, nil
}
