<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

/**
 * The signature algorithms of this probe, under their JOSE names (RFC 7518, RFC 8037, RFC 8812).
 *
 * A new one is a line here. PS256 is not: openssl_sign() has no PSS.
 */
final class Algorithms
{
    /** The hash as PHP's hash extension calls it. */
    public const HMAC = ['HS256' => 'sha256', 'HS384' => 'sha384', 'HS512' => 'sha512'];

    /**
     * The hash as openssl_sign() takes it (a number is cheaper than a name, which it looks up each time); for ECDSA the
     * curve as JOSE calls it, and how long r and s are in a JOSE signature (RFC 7518, section 3.4).
     */
    public const OPENSSL = [
        'RS256' => [OPENSSL_ALGO_SHA256, '', null],
        'RS384' => [OPENSSL_ALGO_SHA384, '', null],
        'RS512' => [OPENSSL_ALGO_SHA512, '', null],
        'ES256' => [OPENSSL_ALGO_SHA256, 'P-256', 32],
        'ES384' => [OPENSSL_ALGO_SHA384, 'P-384', 48],
        'ES512' => [OPENSSL_ALGO_SHA512, 'P-521', 66],
        'ES256K' => [OPENSSL_ALGO_SHA256, 'secp256k1', 32],
    ];

    public const EDDSA = 'EdDSA';

    /** @return list<string> */
    public static function names(): array
    {
        return [...array_keys(self::HMAC), ...array_keys(self::OPENSSL), self::EDDSA];
    }
}
