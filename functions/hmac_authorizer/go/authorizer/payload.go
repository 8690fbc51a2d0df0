package authorizer

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math"
	"time"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// The payload: Base64 of a MessagePack map {a: integer, b: integer, obj: binary}, and expires where that is asked.

// errOtherForm is any reason why the map is not the agreed one; it is not given back.
var errOtherForm = errors.New("not the agreed map")

// unbase64 takes the standard alphabet with padding, of which every value has one spelling only (RFC 4648, 3.5).
func unbase64(text []byte) ([]byte, error) {
	raw := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Strict().Decode(raw, text)
	// The decoder passes over line breaks, even in its strict mode.
	if err != nil || bytes.ContainsAny(text, "\r\n") {
		return nil, refusal("`data` is not Base64")
	}
	return raw[:n], nil
}

// payload is the agreed map. Only the expiry is of use to the check.
type payload struct {
	a, b, expires int64
	obj           []byte
}

// unpack reads the map field by field rather than into a struct, since the library would take a number for a text, nil
// for anything, and the last of two values of one name; and it takes the memory for as many bytes as a binary claims.
func unpack(raw []byte, withExpiry bool) (payload, error) {
	bytesLeft := bytes.NewReader(raw)
	read, err := unpacker{msgpack.NewDecoder(bytesLeft), bytesLeft}.agreedMap(withExpiry)
	if err == nil && bytesLeft.Len() > 0 {
		err = errOtherForm
	}
	if err != nil && withExpiry {
		return payload{}, refusal("`data` holds no MessagePack map of a, b, obj, expires")
	}
	if err != nil {
		return payload{}, refusal("`data` holds no MessagePack map of a, b, obj")
	}
	return read, nil
}

// unpacker is a decoder, and what it has not read yet: it reads byte by byte from a bytes.Reader, never ahead.
type unpacker struct {
	decoder *msgpack.Decoder
	left    *bytes.Reader
}

func (u unpacker) agreedMap(withExpiry bool) (payload, error) {
	var read payload
	missing := map[string]bool{"a": true, "b": true, "obj": true}
	if withExpiry {
		missing["expires"] = true
	}
	length, err := u.mapLength()
	if err != nil || length != len(missing) {
		return read, errOtherForm
	}
	for range length {
		name, err := u.counted(msgpcode.IsString)
		if err != nil || !missing[string(name)] {
			return read, errOtherForm
		}
		delete(missing, string(name))
		switch string(name) {
		case "a":
			read.a, err = u.integer()
		case "b":
			read.b, err = u.integer()
		case "expires":
			read.expires, err = u.integer()
		case "obj":
			read.obj, err = u.counted(msgpcode.IsBin)
		}
		if err != nil {
			return read, err
		}
	}
	return read, nil
}

func (u unpacker) mapLength() (int, error) {
	code, err := u.decoder.PeekCode()
	if err != nil || !msgpcode.IsFixedMap(code) && code != msgpcode.Map16 && code != msgpcode.Map32 {
		return 0, errOtherForm
	}
	return u.decoder.DecodeMapLen()
}

// integer gives the largest int64 for what is larger.
func (u unpacker) integer() (int64, error) {
	code, err := u.decoder.PeekCode()
	if err != nil {
		return 0, err
	}
	if code == msgpcode.Uint64 {
		value, err := u.decoder.DecodeUint64()
		return int64(min(value, math.MaxInt64)), err
	}
	if msgpcode.IsFixedNum(code) || code >= msgpcode.Uint8 && code <= msgpcode.Int64 {
		return u.decoder.DecodeInt64()
	}
	return 0, errOtherForm
}

// counted reads a text or a binary, whichever isKind is of, and takes no memory for what is not there.
func (u unpacker) counted(isKind func(byte) bool) ([]byte, error) {
	code, err := u.decoder.PeekCode()
	if err != nil || !isKind(code) {
		return nil, errOtherForm
	}
	length, err := u.decoder.DecodeBytesLen()
	if err != nil || length < 0 || length > u.left.Len() {
		return nil, errOtherForm
	}
	content := make([]byte, length)
	return content, u.decoder.ReadFull(content)
}

func (p payload) refuseExpired(now time.Time) error {
	if p.expires <= now.Unix() {
		return refusal("the data have expired")
	}
	return nil
}
