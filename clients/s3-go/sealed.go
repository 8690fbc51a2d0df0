package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"io"

	"sectax/kit"
)

// The client-side format; it stands in clients/PROTOCOL.md.
const (
	segment    = 64 << 10
	saltSize   = 32
	prefixSize = 7
	tagSize    = 16
)

// seal gives the whole object as it is stored.
func seal(key, body []byte) ([]byte, error) {
	header := make([]byte, saltSize+prefixSize)
	if _, err := rand.Read(header); err != nil {
		return nil, err
	}
	gcm, err := cipherOf(key, header[:saltSize])
	if err != nil {
		return nil, err
	}
	last := max(0, (len(body)-1)/segment)
	sealed := make([]byte, 0, len(header)+len(body)+(last+1)*tagSize)
	sealed = append(sealed, header...)
	for number := 0; number <= last; number++ {
		end := min(len(body), (number+1)*segment)
		sealed = gcm.Seal(sealed, nonce(header[saltSize:], number, number == last), body[number*segment:end], nil)
	}
	return sealed, nil
}

// unsealed reads the plaintext as the stored object arrives.
type unsealed struct {
	source io.Reader
	key    []byte
	gcm    cipher.AEAD
	prefix []byte
	number int
	stored []byte // one segment and the first byte of the next: the last segment is known by the end alone
	kept   int
	plain  bytes.Reader
	done   bool
}

func newUnsealed(key []byte, source io.Reader) *unsealed {
	return &unsealed{source: source, key: key, stored: make([]byte, segment+tagSize+1)}
}

func (u *unsealed) Read(into []byte) (int, error) {
	for u.plain.Len() == 0 {
		if u.done {
			return 0, io.EOF
		}
		if err := u.next(); err != nil {
			return 0, err
		}
	}
	return u.plain.Read(into)
}

func (u *unsealed) next() error {
	if u.gcm == nil {
		header := make([]byte, saltSize+prefixSize)
		if _, err := io.ReadFull(u.source, header); err != nil {
			return err
		}
		gcm, err := cipherOf(u.key, header[:saltSize])
		if err != nil {
			return err
		}
		u.gcm, u.prefix = gcm, header[saltSize:]
	}
	read, err := io.ReadFull(u.source, u.stored[u.kept:])
	have := u.kept + read
	switch err {
	case nil:
		have--
	case io.EOF, io.ErrUnexpectedEOF:
		u.done = true
	default:
		return err
	}
	following := byte(0)
	if !u.done {
		following = u.stored[have]
	}
	plain, err := u.gcm.Open(nil, nonce(u.prefix, u.number, u.done), u.stored[:have], nil)
	if err != nil {
		return kit.NewFault("wrong-body", "a segment does not decrypt: "+err.Error())
	}
	u.plain.Reset(plain)
	u.stored[0], u.kept = following, 1
	u.number++
	return nil
}

func cipherOf(key, salt []byte) (cipher.AEAD, error) {
	own, err := hkdf.Key(sha256.New, key, salt, "sectax s3 v1", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func nonce(prefix []byte, number int, last bool) []byte {
	made := append(make([]byte, 0, 12), prefix...)
	made = binary.BigEndian.AppendUint32(made, uint32(number))
	if last {
		return append(made, 1)
	}
	return append(made, 0)
}
