package primitives

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"testing"

	"sectax/go-probe/kit"
)

func ready(t *testing.T, operation, algorithm string, inputs texts) *kit.Operation {
	t.Helper()
	operationReady, err := Prepare(operation, map[string]string{"algorithm": algorithm}, inputs)
	if err != nil {
		t.Fatalf("%s %s: %v", operation, algorithm, err)
	}
	return operationReady
}

func shown(t *testing.T, of *kit.Operation) string {
	t.Helper()
	artefact, err := of.Artefact()
	if err != nil {
		t.Fatal(err)
	}
	return artefact
}

func random(size int) string {
	data := make([]byte, size)
	rand.Read(data)
	return kit.Encode(data)
}

// FIPS 180-4 and 202, RFC 7693, 4231 (test case 1) and 8439 (2.5.2).
func TestHashesAndMACsOfTheStandards(t *testing.T) {
	poly, _ := hex.DecodeString("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
	for _, one := range []struct{ operation, algorithm, key, data, start string }{
		{"hash", "sha-256", "", "abc", "ba7816bf8f01cfea"},
		{"hash", "sha-512", "", "abc", "ddaf35a193617aba"},
		{"hash", "sha3-256", "", "abc", "3a985da74fe225b2"},
		{"hash", "blake2b", "", "abc", "ba80a53f981c4d0d"},
		{"mac", "hmac-sha-256", strings.Repeat("\x0b", 20), "Hi There", "b0344c61d8db3853"},
		{"mac", "hmac-sha-512", strings.Repeat("\x0b", 20), "Hi There", "87aa7cdea5ef619d"},
		{"mac", "poly1305", string(poly), "Cryptographic Forum Research Group", "a8061dc1305136c6"},
	} {
		of := ready(t, one.operation, one.algorithm, texts{"key": kit.Encode([]byte(one.key)), "data": kit.Encode([]byte(one.data))})
		made, _ := kit.Decode(shown(t, of))
		if !strings.HasPrefix(hex.EncodeToString(made), one.start) {
			t.Errorf("%s: %x", one.algorithm, made)
		}
		if size, right := of.Run(); size != len(made) || !right || !of.Accepts(kit.Encode(made)) || of.Accepts(kit.Encode(made[1:])) {
			t.Errorf("%s: %d bytes, %v", one.algorithm, size, right)
		}
	}
}

func TestSealedIsOpenedAndNotWithABitTurned(t *testing.T) {
	for algorithm := range ciphers {
		size := map[string]int{"aes-128-gcm": 16}[algorithm]
		inputs := texts{"key": random(max(size, 32)), "data": random(100)}
		if size > 0 {
			inputs["key"] = random(size)
		}
		seal := ready(t, "aead-seal", algorithm, inputs)
		first, second := shown(t, seal), shown(t, seal)
		if first[:16] == second[:16] {
			t.Errorf("%s uses a nonce twice", algorithm)
		}
		inputs["sealed"] = first
		open := ready(t, "aead-open", algorithm, inputs)
		if made, right := open.Run(); made != 100 || !right || shown(t, open) != inputs["data"] || !seal.Accepts(second) {
			t.Errorf("%s is not opened", algorithm)
		}
		sealed, _ := kit.Decode(first)
		for index := range sealed {
			sealed[index] ^= 1
			if open.Accepts(kit.Encode(sealed)) {
				t.Errorf("%s: bit of byte %d", algorithm, index)
			}
			sealed[index] ^= 1
		}
		inputs["sealed"] = kit.Encode(sealed[:27])
		if _, right := ready(t, "aead-open", algorithm, inputs).Run(); right {
			t.Errorf("%s opens what is too short", algorithm)
		}
	}
}

func TestBothSidesAgree(t *testing.T) {
	for algorithm, with := range exchanges {
		raw := make([]byte, map[string]int{"ml-kem-768": 64, "x25519mlkem768": 96}[algorithm]+32)
		rand.Read(raw)
		if algorithm == "ml-kem-768" || algorithm == "x25519mlkem768" {
			raw = raw[:len(raw)-32]
		}
		raw[0] &= 0x7f // below the order of P-256
		if _, err := with.load(raw); err != nil {
			t.Fatalf("%s: %v", algorithm, err)
		}
		_, public := with.start()
		of := ready(t, "agree", algorithm, texts{"private_key": kit.Encode(raw), "public_key": kit.Encode(public)})
		if made, right := of.Run(); made < 32 || !right {
			t.Errorf("%s: %d, %v", algorithm, made, right)
		}
		for _, wrong := range []string{"", ".", "AA.AA", shown(t, of)} { // the last is for another key
			if of.Accepts(wrong) {
				t.Errorf("%s accepts %.20s", algorithm, wrong)
			}
		}
	}
}

func TestPasswords(t *testing.T) {
	nothing := "AAAAAAAAAAAAAAAAAAAAAA$" + strings.Repeat("A", 43)
	for algorithm, like := range map[string]string{
		"argon2id": "$argon2id$v=19$m=64,t=1,p=1$" + nothing, "scrypt": "$scrypt$ln=4,r=8,p=1$" + nothing,
		"pbkdf2-sha256": "$pbkdf2-sha256$i=2$" + nothing, "pbkdf2-sha512": "$pbkdf2-sha512$i=2$" + nothing,
		"bcrypt": "$2b$04$" + strings.Repeat("A", 53),
	} {
		stored := shown(t, ready(t, "password", algorithm, texts{"password": "correct", "stored": like}))
		_, right := ready(t, "password", algorithm, texts{"password": "correct", "stored": stored}).Run()
		_, wrong := ready(t, "password", algorithm, texts{"password": "horse", "stored": stored}).Run()
		if !right || wrong || stored == like {
			t.Errorf("%s: %v, %v, %s", algorithm, right, wrong, stored)
		}
	}
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	for _, one := range []struct {
		operation, algorithm string
		inputs               texts
	}{
		{"hash", "blake3", texts{"data": "AAAA"}}, {"hash", "sha-256", texts{}}, {"hash", "sha-256", texts{"data": "A A"}},
		{"aead-seal", "aes-256-gcm", texts{"key": "AAAA", "data": "AAAA"}}, {"agree", "x25519", texts{"private_key": "AAAA", "public_key": "AAAA"}},
		{"password", "scrypt", texts{"password": "p"}},
	} {
		if _, err := Prepare(one.operation, map[string]string{"algorithm": one.algorithm}, one.inputs); err == nil {
			t.Errorf("%v", one)
		}
	}
}
