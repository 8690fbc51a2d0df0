package authorizer

import (
	"context"
	"time"
)

// Handler is what Lambda calls, with any event that is JSON.
type Handler func(context.Context, any) (Answer, error)

// New chooses the handler once: an invocation asks no more what was set.
func New(settings Settings, now func() time.Time) Handler {
	if settings.immediate {
		return func(context.Context, any) (Answer, error) { return refused(notChecked), nil }
	}
	// Only a checked event is authorized: a baseline that was left deployed must let nobody in.
	authorized := Answer{IsAuthorized: true}
	if !settings.checks {
		authorized = refused(notChecked)
	}
	if settings.anatomy {
		return func(_ context.Context, event any) (Answer, error) {
			anatomy, err := takeTimed(settings, now, event)
			if err != nil {
				return refused(err), nil
			}
			return Answer{authorized.IsAuthorized, authorized.Reason, &anatomy}, nil
		}
	}
	return func(_ context.Context, event any) (Answer, error) {
		if err := take(settings, now, event); err != nil {
			return refused(err), nil
		}
		return authorized, nil
	}
}

// take takes the steps in the order in which they are safe: form, token, and only then what the data hold.
func take(settings Settings, now func() time.Time, event any) error {
	fields, err := readFields(event, settings.scheme.tokenDigits())
	if err != nil {
		return err
	}
	salt, err := fields.saltBytes()
	if err != nil {
		return err
	}
	data, err := fields.dataBytes()
	if err != nil {
		return err
	}
	if settings.checks {
		mac := settings.scheme.mac(settings.scheme.derive(salt), data)
		if !settings.scheme.matches(fields.token, mac) {
			return notGenuine
		}
	}
	if !settings.unpacks {
		return nil
	}
	raw, err := unbase64(data)
	if err != nil {
		return err
	}
	payload, err := unpack(raw, settings.expires)
	if err == nil && settings.expires {
		err = payload.refuseExpired(now())
	}
	return err
}
