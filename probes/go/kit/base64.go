package kit

import (
	"encoding/base64"
	"errors"
)

var errMalformed = errors.New("this is no base64url")

// Encode gives base64url without padding.
func Encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// Decode takes base64url in its one spelling: two spellings of a signature would be two tokens.
func Decode(text string) ([]byte, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || Encode(data) != text { // Go's decoder passes over line breaks and spare bits
		return nil, errMalformed
	}
	return data, nil
}
