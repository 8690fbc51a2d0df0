package authorizer

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

const key = "a key that only these tests know"

var environment = map[string]string{"SHARED_KEY": key}

func with(name, value string) map[string]string {
	return map[string]string{"SHARED_KEY": key, name: value}
}

// signed makes a genuine event with the standard library alone.
func signed(data string) map[string]any {
	const salt = "00112233445566778899aabbccddeeff"
	token := func(key, data string) string {
		digest := hmac.New(sha512.New, []byte(key))
		digest.Write([]byte(data))
		return hex.EncodeToString(digest.Sum(nil))
	}
	return map[string]any{"key": salt, "token": token(token(key, salt), data), "data": data}
}

func packed(t *testing.T, size int) string {
	t.Helper()
	raw, err := msgpack.Marshal(map[string]any{"a": 123, "b": 456, "obj": make([]byte, size)})
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func replaced(event map[string]any, field string, value any) map[string]any {
	other := make(map[string]any, len(event))
	for name := range event {
		other[name] = event[name]
	}
	other[field] = value
	return other
}

func TestEverySingleBitCounts(t *testing.T) {
	event := signed(packed(t, 40))
	for _, payload := range []string{"unpack", "opaque"} {
		handler := handlerFor(t, with("PAYLOAD", payload))
		if answer := invoke(t, handler, event); !answer.IsAuthorized {
			t.Fatalf("the event itself: %s", answer.Reason)
		}
		for field := range event {
			text := event[field].(string)
			for bit := range 8 * len(text) {
				spoiled := []byte(text)
				spoiled[bit/8] ^= 1 << (bit % 8)
				if invoke(t, handler, replaced(event, field, string(spoiled))).IsAuthorized {
					t.Errorf("%s, bit %d", field, bit)
				}
			}
		}
	}
}

func TestAThousandRandomTamperingsAreRefused(t *testing.T) {
	chance := rand.New(rand.NewSource(7))
	event, handler := signed(packed(t, 40)), handlerFor(t, environment)
	fields := []string{"key", "token", "data"}
	for range 1000 {
		other := event
		for reflect.DeepEqual(other, event) {
			field := fields[chance.Intn(3)]
			text := event[field].(string)
			at, end := chance.Intn(len(text)+1), chance.Intn(len(text)+1)
			at, end = min(at, end), max(at, end)
			made := []string{
				text[:at] + text[end:],
				text[:end] + text[at:],
				text[:at] + string(rune(chance.Intn(256))) + text[end:],
				event[fields[chance.Intn(3)]].(string),
			}
			other = replaced(event, field, made[chance.Intn(len(made))])
		}
		if invoke(t, handler, other).IsAuthorized {
			t.Fatalf("let in: %v", other)
		}
	}
}

func TestHostileMessagePackIsRefusedAndTakesNoMemoryThatItClaims(t *testing.T) {
	const mib = 1 << 20
	zeros := strings.Repeat("\x00", 3*mib)
	hostile := map[string]string{
		"lists in lists":                 strings.Repeat("\x91", 3*mib),
		"maps in maps":                   strings.Repeat("\x81\xa1a", mib),
		"a map that claims 4 Gi entries": "\xdf\xff\xff\xff\xff" + strings.Repeat("\xa1a\x01", mib),
		"a name that claims 4 GiB":       "\x83\xdb\xff\xff\xff\xff" + zeros,
		"a binary that claims 4 GiB":     "\x83\xa1a\x01\xa1b\x02\xa3obj\xc6\xff\xff\xff\xff" + zeros,
		"a long text for a number":       "\x83\xa1a\xdb\x00\x30\x00\x00" + zeros,
		"nothing but 0xc1":               strings.Repeat("\xc1", 3*mib),
	}
	handler := handlerFor(t, environment)
	for name, raw := range hostile {
		event := signed(base64.StdEncoding.EncodeToString([]byte(raw)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		answer := invoke(t, handler, event)
		runtime.ReadMemStats(&after)
		if answer.Reason != "`data` holds no MessagePack map of a, b, obj" {
			t.Errorf("%s: %+v", name, answer)
		}
		// The data as bytes, what is behind the Base64, and what the reader grows with: not the 4 GiB claimed.
		if took := after.TotalAlloc - before.TotalAlloc; took > 40*mib {
			t.Errorf("%s took %d MiB", name, took/mib)
		}
	}
}

func TestDataOfSixMebibytesAreTheMost(t *testing.T) {
	handler := handlerFor(t, with("PAYLOAD", "opaque"))
	for size, let := range map[int]bool{longestData: true, longestData + 1: false} {
		if answer := invoke(t, handler, signed(strings.Repeat("A", size))); answer.IsAuthorized != let {
			t.Errorf("%d bytes: %+v", size, answer)
		}
	}
}

func FuzzAnySignedBytesGetAnAnswer(f *testing.F) {
	f.Add([]byte("\x83\xa1a\x01\xa1b\x02\xa3obj\xc4\x00"))
	f.Add([]byte("\xdf\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		answer := invoke(t, handlerFor(t, environment), signed(base64.StdEncoding.EncodeToString(raw)))
		if !answer.IsAuthorized && answer.Reason != "`data` holds no MessagePack map of a, b, obj" {
			t.Error(answer.Reason)
		}
	})
}

func FuzzAnyJSONIsRefusedInWords(f *testing.F) {
	f.Add([]byte(`{"key": "1", "token": "2", "data": [{}]}`))
	f.Add([]byte(`{"key": "\ud800", "KEY": 1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var event any
		if json.Unmarshal(raw, &event) != nil {
			return // Lambda hands over nothing that is no JSON
		}
		if answer := invoke(t, handlerFor(t, environment), event); answer.IsAuthorized || answer.Reason == "" {
			t.Errorf("%+v", answer)
		}
	})
}

func TestTheStepsOfTheTreatmentAreTimedAndNoOthers(t *testing.T) {
	event := signed(packed(t, 1_000_000))
	for settings, steps := range map[[2]string]string{
		{"hmac-sha512", "unpack"}: "base64_ns compare_ns derive_ns fields_ns mac_ns messagepack_ns utf8_ns",
		{"hmac-sha512", "opaque"}: "compare_ns derive_ns fields_ns mac_ns utf8_ns",
		{"none", "unpack"}:        "base64_ns fields_ns messagepack_ns utf8_ns",
		{"none", "opaque"}:        "fields_ns utf8_ns",
	} {
		set := map[string]string{"SHARED_KEY": key, "ANATOMY": "1", "TREATMENT": settings[0], "PAYLOAD": settings[1]}
		answered, err := json.Marshal(invoke(t, handlerFor(t, set), event))
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ Anatomy map[string]int64 }
		if err := json.Unmarshal(answered, &answer); err != nil {
			t.Fatal(err)
		}
		var named []string
		parts := int64(0)
		for _, step := range strings.Fields(steps) {
			if took, there := answer.Anatomy[step]; there && took >= 0 {
				named = append(named, step)
				parts += took
			}
		}
		took := answer.Anatomy
		sums := 2 // the whole, and its CPU time
		if settings[0] != "none" {
			sums = 4 // those of the check too
		}
		if len(took) != len(named)+sums || strings.Join(named, " ") != steps {
			t.Errorf("%v: %v", settings, took)
		}
		check := took["derive_ns"] + took["mac_ns"] + took["compare_ns"]
		if parts > took["whole_ns"] || check > took["check_ns"] || took["check_cpu_ns"] > took["whole_cpu_ns"] {
			t.Errorf("%v: the parts are more than the whole: %v", settings, took)
		}
		if took["whole_cpu_ns"] <= 0 || (settings[0] != "none" && took["check_cpu_ns"] <= 0) {
			t.Errorf("%v: a megabyte took no CPU time: %v", settings, took)
		}
	}
}

func TestWhatCannotBeMeantStopsTheFunctionBeforeItStarts(t *testing.T) {
	for says, set := range map[string]map[string]string{
		"set one of SHARED_KEY":             {},
		"set one of":                        with("SHARED_KEY_FILE", "x"),
		"the shared key is empty":           {"SHARED_KEY": ""},
		"cannot be read: no such file":      {"SHARED_KEY_FILE": "/nonesuch"},
		"TREATMENT is none of none, immed":  with("TREATMENT", "md5"),
		"ANATOMY is none of 0, 1":           with("ANATOMY", "yes"),
		"PAYLOAD is none of unpack, opaque": with("PAYLOAD", "raw"),
		"PAYLOAD=opaque forbids":            {"SHARED_KEY": key, "TREATMENT": "hmac-sha512-expiry", "PAYLOAD": "opaque"},
	} {
		_, err := ReadSettings(lookupIn(set))
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

func TestTheKeyMayStandInAFile(t *testing.T) {
	inText, err := ReadSettings(lookupIn(environment))
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "\n", "\r\n"} {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte(key+end), 0o600); err != nil {
			t.Fatal(err)
		}
		inFile, err := ReadSettings(lookupIn(map[string]string{"SHARED_KEY_FILE": path}))
		if err != nil || !bytes.Equal(inFile.scheme.derive(nil), inText.scheme.derive(nil)) {
			t.Errorf("%q: %v", end, err)
		}
	}
}
