// What someone would write to time one call of Go's crypto with `go test -bench`. CASE names a file of JSON.
package call

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// cpuTime is CLOCK_PROCESS_CPUTIME_ID of Linux, in nanoseconds.
func cpuTime() float64 {
	var now syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 2, uintptr(unsafe.Pointer(&now)), 0)
	return float64(now.Nano())
}

func BenchmarkCall(b *testing.B) {
	var given struct {
		Algorithm, Operation string
		PrivateKeyPEM        string `json:"private_key_pem"`
		SigningInput         string `json:"signing_input"`
	}
	text, err := os.ReadFile(os.Getenv("CASE"))
	if err != nil || json.Unmarshal(text, &given) != nil {
		b.Fatal("CASE names no file of JSON")
	}
	block, _ := pem.Decode([]byte(given.PrivateKeyPEM))
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		b.Fatal(err)
	}
	data := []byte(given.SigningInput)
	var sign func() []byte
	var verify func(signature []byte) bool
	switch key := key.(type) {
	case *rsa.PrivateKey:
		sign = func() []byte {
			digest := sha256.Sum256(data)
			signature, _ := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
			return signature
		}
		verify = func(signature []byte) bool {
			digest := sha256.Sum256(data)
			return rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, digest[:], signature) == nil
		}
	case *ecdsa.PrivateKey:
		sign = func() []byte {
			digest := sha256.Sum256(data)
			signature, _ := ecdsa.SignASN1(rand.Reader, key, digest[:])
			return signature
		}
		verify = func(signature []byte) bool {
			digest := sha256.Sum256(data)
			return ecdsa.VerifyASN1(&key.PublicKey, digest[:], signature)
		}
	}
	signature := sign()
	b.ResetTimer()
	before := cpuTime()
	for range b.N {
		if given.Operation == "sign" {
			sign()
		} else if !verify(signature) {
			b.Fatal("not verified")
		}
	}
	b.ReportMetric((cpuTime()-before)/float64(b.N), "cpu-ns/op")
}
