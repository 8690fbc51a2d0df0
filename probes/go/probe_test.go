package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"sync"
	"testing"

	"sectax/go-probe/kit"
)

const claims = `{"iss":"https://issuer.example","sub":"user"}`

var rsaKey = sync.OnceValue(func() any {
	key, _ := rsa.GenerateKey(rand.Reader, 2048)
	return key
})

func inputsFor(t *testing.T, chosen algorithm) map[string]string {
	t.Helper()
	header := encode([]byte(`{"typ":"JWT","alg":"` + chosen.name + `"}`))
	inputs := map[string]string{"claims": claims, "signing_input": header + "." + encode([]byte(claims))}
	var private any
	var public any
	switch chosen.keyType {
	case "oct":
		inputs["secret"] = encode([]byte(strings.Repeat("k", 64)))
		return inputs
	case "RSA":
		private = rsaKey()
		public = &private.(*rsa.PrivateKey).PublicKey
	case "EC":
		curve := map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()}[chosen.curve]
		key, _ := ecdsa.GenerateKey(curve, rand.Reader)
		private, public = key, &key.PublicKey
	case "OKP":
		public, private, _ = ed25519.GenerateKey(rand.Reader)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	open, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	inputs["private_key_pem"] = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	inputs["public_key_pem"] = string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: open}))
	return inputs
}

func prepared(t *testing.T, operation, name, layer, keyUse string, inputs map[string]string) *kit.Operation {
	t.Helper()
	ready, err := prepare(operation, map[string]string{"algorithm": name, "layer": layer, "key_use": keyUse}, inputs)
	if err != nil {
		t.Fatal(err)
	}
	return ready
}

// Every algorithm in both layers and key uses: what is signed is verified by all, and no changed byte is.
func TestTokensAreVerifiedByBothLayersAndTamperedOnesByNone(t *testing.T) {
	for name, chosen := range algorithms {
		inputs := inputsFor(t, chosen)
		for _, layer := range []string{"primitive", "library"} {
			for _, keyUse := range []string{"parsed-once", "parsed-per-call"} {
				t.Run(name+"/"+layer+"/"+keyUse, func(t *testing.T) {
					signer := prepared(t, "sign", name, layer, keyUse, inputs)
					token, err := signer.Artefact()
					if err != nil {
						t.Fatal(err)
					}
					if made, right := signer.Run(); made == 0 || !right || signer.ReadBack(token)["alg"] != name {
						t.Errorf("signing made %d bytes, right: %v, %v", made, right, signer.ReadBack(token))
					}
					inputs["token"] = token
					for _, other := range []string{"primitive", "library"} {
						verifier := prepared(t, "verify", name, other, keyUse, inputs)
						if _, right := verifier.Run(); !right || !verifier.Accepts(token) || !signer.Accepts(token) {
							t.Errorf("%s refuses what %s signed", other, layer)
						}
						for index, wrong := range tampered(t, token) {
							if verifier.Accepts(wrong) {
								t.Errorf("%s accepts change %d of %s", other, index, token)
							}
						}
					}
				})
			}
		}
	}
}

// tampered turns a bit of every seventh byte, and has tokens of strange form.
func tampered(t *testing.T, token string) []string {
	t.Helper()
	parts := strings.Split(token, ".")
	wrong := []string{"", "..", "a.b.c", parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[1], token + "." + parts[2], token + "!"}
	wrong = append(wrong, encode([]byte(`{"alg":"none"}`))+"."+parts[1]+".")
	for part := range parts {
		data, err := decode(parts[part])
		if err != nil {
			t.Fatal(err)
		}
		for index := 0; index < len(data); index += 7 {
			data[index] ^= 1
			changed := append([]string{}, parts...)
			changed[part] = encode(data)
			wrong = append(wrong, strings.Join(changed, "."))
			data[index] ^= 1
		}
	}
	return wrong
}

func TestWitnessesAreReadFromTheKey(t *testing.T) {
	for name, wanted := range map[string]map[string]any{
		"RS512": {"key_type": "RSA", "key_bits": 2048},
		"ES512": {"key_type": "EC", "key_bits": 521, "curve": "P-521"},
		"EdDSA": {"key_type": "OKP", "key_bits": 256, "curve": "Ed25519"},
		"HS256": {"key_type": "oct", "key_bits": 512},
	} {
		read := prepared(t, "sign", name, "primitive", "parsed-once", inputsFor(t, algorithms[name])).Witnesses
		for witness, value := range wanted {
			if read[witness] != value {
				t.Errorf("%s: %s is %v, not %v", name, witness, read[witness], value)
			}
		}
	}
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	inputs := inputsFor(t, algorithms["ES256"])
	for _, wrong := range []struct{ name, status string }{{"ES384", "failed"}, {"RS256", "failed"}, {"Ed448", "skipped"}, {"HS256", "failed"}} {
		_, err := prepare("sign", map[string]string{"algorithm": wrong.name, "layer": "primitive", "key_use": "parsed-once"}, inputs)
		refused, known := err.(kit.Refusal)
		if !known || refused.Status != wrong.status {
			t.Errorf("%s with an ES256 key: %v", wrong.name, err)
		}
	}
}

// RFC 8037, appendix A.4: the same signature for the same key and text.
func TestAPublishedVectorOfEd25519(t *testing.T) {
	const input = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
	const wanted = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
	seed, _ := decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A")
	signature, err := algorithms["EdDSA"].sign(ed25519.NewKeyFromSeed(seed), []byte(input))
	if err != nil || encode(signature) != wanted {
		t.Errorf("%s, %v", encode(signature), err)
	}
}
