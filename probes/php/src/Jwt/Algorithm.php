<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

/**
 * The signature algorithms of this probe, under their JOSE names (RFC 7518, RFC 8037, RFC 8812).
 *
 * A new one is a case and a line in the tables below. PS256 is not: openssl_sign() has no PSS.
 */
enum Algorithm: string
{
    case HS256 = 'HS256';
    case HS384 = 'HS384';
    case HS512 = 'HS512';
    case RS256 = 'RS256';
    case RS384 = 'RS384';
    case RS512 = 'RS512';
    case ES256 = 'ES256';
    case ES384 = 'ES384';
    case ES512 = 'ES512';
    case ES256K = 'ES256K';
    case EdDSA = 'EdDSA';

    /** The hash as PHP's hash extension calls it; null where the algorithm is not HMAC. */
    public function hash(): ?string
    {
        return match ($this) {
            self::HS256 => 'sha256',
            self::HS384 => 'sha384',
            self::HS512 => 'sha512',
            default => null,
        };
    }

    /** The hash as openssl_sign() takes it: a number is cheaper than a name, which it looks up each time. */
    public function digest(): int
    {
        return match ($this) {
            self::RS256, self::ES256, self::ES256K => OPENSSL_ALGO_SHA256,
            self::RS384, self::ES384 => OPENSSL_ALGO_SHA384,
            self::RS512, self::ES512 => OPENSSL_ALGO_SHA512,
        };
    }

    /** The curve as JOSE calls it; '' where the algorithm is not ECDSA. */
    public function curve(): string
    {
        return match ($this) {
            self::ES256 => 'P-256',
            self::ES384 => 'P-384',
            self::ES512 => 'P-521',
            self::ES256K => 'secp256k1',
            default => '',
        };
    }

    /** How long r and s are in a JOSE signature (RFC 7518, section 3.4); null where the algorithm is not ECDSA. */
    public function coordinateBytes(): ?int
    {
        return match ($this) {
            self::ES256, self::ES256K => 32,
            self::ES384 => 48,
            self::ES512 => 66,
            default => null,
        };
    }
}
