package authorizer

import "time"

// Anatomy is how many nanoseconds each step took; a step that this treatment has not is not there.
type Anatomy struct {
	Fields      int64  `json:"fields_ns"`
	UTF8        int64  `json:"utf8_ns"`
	Derive      *int64 `json:"derive_ns,omitempty"`
	MAC         *int64 `json:"mac_ns,omitempty"`
	Compare     *int64 `json:"compare_ns,omitempty"`
	Base64      *int64 `json:"base64_ns,omitempty"`
	MessagePack *int64 `json:"messagepack_ns,omitempty"`
	Whole       int64  `json:"whole_ns"`
}

// takeTimed takes the steps of take with a clock between them. A test holds the two to the same answers.
func takeTimed(settings Settings, now func() time.Time, event any) (Anatomy, error) {
	var took Anatomy
	begun := time.Now()
	fields, err := readFields(event, settings.scheme.tokenDigits())
	if err != nil {
		return took, err
	}
	formed := time.Now()
	salt, err := fields.saltBytes()
	if err != nil {
		return took, err
	}
	data, err := fields.dataBytes()
	if err != nil {
		return took, err
	}
	last := time.Now()
	took.Fields, took.UTF8 = between(begun, formed), between(formed, last)
	if settings.checks {
		begunCheck := time.Now()
		key := settings.scheme.derive(salt)
		derived := time.Now()
		mac := settings.scheme.mac(key, data)
		authenticated := time.Now()
		genuine := settings.scheme.matches(fields.token, mac)
		last = time.Now()
		took.Derive, took.MAC = step(begunCheck, derived), step(derived, authenticated)
		took.Compare = step(authenticated, last)
		if !genuine {
			return took, notGenuine
		}
	}
	if settings.unpacks {
		begunUnpacking := time.Now()
		raw, err := unbase64(data)
		if err != nil {
			return took, err
		}
		decoded := time.Now()
		payload, err := unpack(raw, settings.expires)
		if err == nil && settings.expires {
			err = payload.refuseExpired(now())
		}
		if err != nil {
			return took, err
		}
		last = time.Now()
		took.Base64, took.MessagePack = step(begunUnpacking, decoded), step(decoded, last)
	}
	took.Whole = between(begun, last)
	return took, nil
}

func between(begun, ended time.Time) int64 { return ended.Sub(begun).Nanoseconds() }

func step(begun, ended time.Time) *int64 {
	took := between(begun, ended)
	return &took
}
