<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use ValueError;

/**
 * A signature algorithm under its JOSE name (RFC 7518, RFC 8037), and the table of those that this probe has.
 *
 * RS384, RS512, HS384, HS512, ES384 and ES512 are a line each. PS256 is not: openssl_sign() has no PSS.
 */
final class Algorithm
{
    /**
     * @param string $hash as PHP's hash extension calls it, '' where the algorithm brings its own
     */
    private function __construct(
        public readonly string $name,
        public readonly Family $family,
        public readonly string $hash = '',
        public readonly ?Curve $curve = null,
    ) {
    }

    /** @return list<self> */
    private static function table(): array
    {
        return [
            new self('HS256', Family::Hmac, hash: 'sha256'),
            new self('RS256', Family::Rsa, hash: 'sha256'),
            new self('ES256', Family::Ecdsa, hash: 'sha256', curve: Curve::P256),
            new self('EdDSA', Family::Ed25519),
        ];
    }

    /** @return list<string> */
    public static function names(): array
    {
        return array_map(static fn (self $algorithm) => $algorithm->name, self::table());
    }

    public static function named(string $name): self
    {
        foreach (self::table() as $algorithm) {
            if ($algorithm->name === $name) {
                return $algorithm;
            }
        }
        throw new ValueError("no algorithm $name");
    }
}
