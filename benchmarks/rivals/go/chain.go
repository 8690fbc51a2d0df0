// Package chain is the work that rivals and sectax are given in Go.
package chain

import (
	"crypto/hmac"
	"crypto/sha256"
)

// Links computes so many HMAC-SHA-256 of 1 KiB, each over a message that begins with the tag before it.
func Links(count int) [sha256.Size]byte {
	var key, tag [sha256.Size]byte
	var message [1024]byte
	mac := hmac.New(sha256.New, key[:])
	for range count {
		mac.Reset()
		mac.Write(message[:])
		mac.Sum(tag[:0])
		copy(message[:], tag[:])
	}
	return tag
}
