package main

import (
	"encoding/asn1"
	"encoding/json"
	"errors"
	"math/big"
	"strings"

	"sectax/go-probe/kit"
)

var errMalformed = errors.New("this is no compact JWS")

var encode, decode = kit.Encode, kit.Decode

// split gives the signing input of a token and its signature.
func split(token string) (input, signature []byte, err error) {
	dot := strings.LastIndexByte(token, '.')
	if strings.Count(token, ".") != 2 {
		return nil, nil, errMalformed
	}
	signature, err = decode(token[dot+1:])
	return []byte(token[:dot]), signature, err
}

// algOf reads alg off the header of a token; empty where there is none.
func algOf(token string) string {
	header, _, _ := strings.Cut(token, ".")
	data, err := decode(header)
	var read struct {
		Alg string `json:"alg"`
	}
	if err != nil || json.Unmarshal(data, &read) != nil {
		return ""
	}
	return read.Alg
}

// Bytes of r and of s (RFC 7518, section 3.4).
var halves = map[string]int{"P-256": 32, "P-384": 48, "P-521": 66}

type ecdsaSignature struct{ R, S *big.Int }

// toJOSE turns a signature of Go's crypto into the form of RFC 7518.
func (a algorithm) toJOSE(signature []byte) ([]byte, error) {
	size := halves[a.curve]
	if size == 0 {
		return signature, nil
	}
	var read ecdsaSignature
	if _, err := asn1.Unmarshal(signature, &read); err != nil {
		return nil, err
	}
	joined := make([]byte, 2*size)
	read.R.FillBytes(joined[:size])
	read.S.FillBytes(joined[size:])
	return joined, nil
}

// fromJOSE turns it back.
func (a algorithm) fromJOSE(signature []byte) ([]byte, error) {
	size := halves[a.curve]
	if size == 0 {
		return signature, nil
	}
	if len(signature) != 2*size {
		return nil, errMalformed
	}
	return asn1.Marshal(ecdsaSignature{new(big.Int).SetBytes(signature[:size]), new(big.Int).SetBytes(signature[size:])})
}
