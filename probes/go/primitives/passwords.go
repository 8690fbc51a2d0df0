package primitives

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"hash"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/scrypt"

	"sectax/go-probe/kit"
)

const hashBytes = 32

// scheme derives a hash as the settings of a stored one say. bcrypt, which is whole in x/crypto, has none.
type scheme struct {
	implementation string
	derive         func(password, salt []byte, of map[string]int) ([]byte, error)
}

var schemes = map[string]scheme{
	"argon2id":         {"x/crypto/argon2", deriveArgon2},
	"argon2id-rfc9106": {"x/crypto/argon2", deriveArgon2},
	"bcrypt":           {"x/crypto/bcrypt", nil},
	"scrypt": {"x/crypto/scrypt", func(password, salt []byte, of map[string]int) ([]byte, error) {
		return scrypt.Key(password, salt, 1<<of["ln"], of["r"], of["p"], hashBytes)
	}},
	"pbkdf2-sha256": {"crypto/pbkdf2", derivePBKDF2(sha256.New)},
	"pbkdf2-sha512": {"crypto/pbkdf2", derivePBKDF2(sha512.New)},
}

func deriveArgon2(password, salt []byte, of map[string]int) ([]byte, error) {
	return argon2.IDKey(password, salt, uint32(of["t"]), uint32(of["m"]), uint8(of["p"]), hashBytes), nil
}

func derivePBKDF2[Hash hash.Hash](new func() Hash) func(password, salt []byte, of map[string]int) ([]byte, error) {
	return func(password, salt []byte, of map[string]int) ([]byte, error) {
		return pbkdf2.Key(new, string(password), salt, of["i"], hashBytes)
	}
}

// stored is a text such as $argon2id$v=19$m=19456,t=2,p=1$SALT$HASH.
type stored struct {
	head       string
	settings   map[string]int
	salt, hash []byte
}

func readStored(text string) (stored, error) {
	parts := strings.Split(text, "$")
	if len(parts) < 5 {
		return stored{}, kit.Failed("no stored password")
	}
	end := len(parts) - 2
	read := stored{head: strings.Join(parts[:end], "$"), settings: map[string]int{}}
	for _, setting := range strings.Split(parts[end-1], ",") {
		name, value, _ := strings.Cut(setting, "=")
		read.settings[name], _ = strconv.Atoi(value)
	}
	var err, fault error
	read.salt, err = base64.RawStdEncoding.Strict().DecodeString(parts[end])
	read.hash, fault = base64.RawStdEncoding.Strict().DecodeString(parts[end+1])
	if err != nil || fault != nil {
		return stored{}, kit.Failed("no stored password")
	}
	return read, nil
}

func (s scheme) checker(text string, password []byte) func() bool {
	if s.derive == nil {
		whole := []byte(text)
		return func() bool { return bcrypt.CompareHashAndPassword(whole, password) == nil }
	}
	read, err := readStored(text)
	if err != nil {
		return func() bool { return false }
	}
	return func() bool {
		made, err := s.derive(password, read.salt, read.settings)
		return err == nil && subtle.ConstantTimeCompare(made, read.hash) == 1
	}
}

// store makes what is kept of a password, with a fresh salt and the settings of another.
func (s scheme) store(like string, password []byte) (string, error) {
	if s.derive == nil {
		cost, err := bcrypt.Cost([]byte(like))
		if err != nil {
			return "", err
		}
		made, err := bcrypt.GenerateFromPassword(password, cost)
		return string(made), err
	}
	read, err := readStored(like)
	if err != nil {
		return "", err
	}
	rand.Read(read.salt)
	made, err := s.derive(password, read.salt, read.settings)
	text := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("%s$%s$%s", read.head, text(read.salt), text(made)), err
}

func preparePassword(algorithm string, inputs texts) (*kit.Operation, error) {
	chosen, password, kept := schemes[algorithm], []byte(inputs["password"]), inputs["stored"]
	if len(password) == 0 || kept == "" {
		return nil, kit.Failed("the inputs password and stored are needed")
	}
	check := chosen.checker(kept, password)
	return &kit.Operation{
		Witnesses: map[string]any{"implementation": chosen.implementation},
		Run:       func() (int, bool) { return 0, check() },
		Artefact:  func() (string, error) { return chosen.store(kept, password) },
		Accepts:   func(shown string) bool { return chosen.checker(shown, password)() },
	}, nil
}
