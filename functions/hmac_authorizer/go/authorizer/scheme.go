package authorizer

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"

	"golang.org/x/crypto/blake2b"
)

// scheme is what the check consists of: a key derived from the salt, a token over the data, a comparison. On the wire
// every token is lower-case hexadecimal.
type scheme interface {
	tokenDigits() int
	// derive gives the key of this event.
	derive(salt []byte) []byte
	// mac gives the token that data should have, in the form in which it is compared.
	mac(key, data []byte) []byte
	// matches tells, in constant time, whether the token that came is the one that it should be.
	matches(token string, mac []byte) bool
}

func newScheme(treatment string, sharedKey []byte) scheme {
	switch treatment {
	case "raw-digests":
		return rawHMAC{sharedKey}
	case "hmac-sha256":
		return hexHMAC{sharedKey, sha256.New, 2 * sha256.Size}
	case "blake2b":
		return newKeyedBLAKE2b(sharedKey)
	default:
		return hexHMAC{sharedKey, sha512.New, 2 * sha512.Size}
	}
}

// hexHMAC is as published: both digests pass through their hexadecimal text.
type hexHMAC struct {
	sharedKey []byte
	digest    func() hash.Hash
	digits    int
}

func (s hexHMAC) tokenDigits() int { return s.digits }

func (s hexHMAC) derive(salt []byte) []byte { return s.mac(s.sharedKey, salt) }

func (s hexHMAC) mac(key, data []byte) []byte { return hexadecimal(sum(hmac.New(s.digest, key), data)) }

func (s hexHMAC) matches(token string, mac []byte) bool { return hmac.Equal([]byte(token), mac) }

// rawHMAC takes the digests themselves: key' is 64 bytes in place of 128, and so are the sides of the comparison.
type rawHMAC struct{ sharedKey []byte }

func (s rawHMAC) tokenDigits() int { return 2 * sha512.Size }

func (s rawHMAC) derive(salt []byte) []byte { return s.mac(s.sharedKey, salt) }

func (s rawHMAC) mac(key, data []byte) []byte { return sum(hmac.New(sha512.New, key), data) }

func (s rawHMAC) matches(token string, mac []byte) bool {
	raw, err := hex.DecodeString(token)
	return err == nil && hmac.Equal(raw, mac)
}

// keyedBLAKE2b uses BLAKE2b's own key parameter (RFC 7693) in place of HMAC; key' is the raw digest of 64 bytes.
type keyedBLAKE2b struct{ sharedKey []byte }

func newKeyedBLAKE2b(sharedKey []byte) keyedBLAKE2b {
	// The key parameter holds 64 bytes; a longer key is hashed first, as HMAC does with keys longer than a block.
	if len(sharedKey) > blake2b.Size {
		digest := blake2b.Sum512(sharedKey)
		sharedKey = digest[:]
	}
	return keyedBLAKE2b{sharedKey}
}

func (s keyedBLAKE2b) tokenDigits() int { return 2 * blake2b.Size }

func (s keyedBLAKE2b) derive(salt []byte) []byte { return blake2bSum(s.sharedKey, salt) }

func (s keyedBLAKE2b) mac(key, data []byte) []byte { return hexadecimal(blake2bSum(key, data)) }

func (s keyedBLAKE2b) matches(token string, mac []byte) bool { return hmac.Equal([]byte(token), mac) }

func blake2bSum(key, data []byte) []byte {
	digest, err := blake2b.New512(key)
	if err != nil {
		panic(err) // a key of more than 64 bytes, and none is
	}
	return sum(digest, data)
}

func sum(digest hash.Hash, data []byte) []byte {
	digest.Write(data)
	return digest.Sum(nil)
}

func hexadecimal(raw []byte) []byte {
	text := make([]byte, hex.EncodedLen(len(raw)))
	hex.Encode(text, raw)
	return text
}
