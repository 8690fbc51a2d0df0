<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

/**
 * The signature algorithms of this probe, under their JOSE names (RFC 7518, RFC 8037).
 *
 * RS384, RS512, HS384, HS512, ES384 and ES512 are a line each in the tables below. PS256 is not: openssl_sign() has no
 * PSS.
 */
enum Algorithm: string
{
    case HS256 = 'HS256';
    case RS256 = 'RS256';
    case ES256 = 'ES256';
    case EdDSA = 'EdDSA';

    /** The hash as PHP's hash extension calls it. */
    public function hash(): string
    {
        return match ($this) {
            self::HS256 => 'sha256',
        };
    }

    /** The hash as openssl_sign() takes it: a number is cheaper than a name, which it looks up each time. */
    public function digest(): int
    {
        return match ($this) {
            self::RS256, self::ES256 => OPENSSL_ALGO_SHA256,
        };
    }

    /** The curve as JOSE calls it; '' where the algorithm is not ECDSA. */
    public function curve(): string
    {
        return match ($this) {
            self::ES256 => 'P-256',
            default => '',
        };
    }

    /** How long r and s are in a JOSE signature (RFC 7518, section 3.4); null where the algorithm is not ECDSA. */
    public function coordinateBytes(): ?int
    {
        return match ($this) {
            self::ES256 => 32,
            default => null,
        };
    }
}
