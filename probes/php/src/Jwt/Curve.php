<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

/** The curves of RFC 7518, section 3.4. */
enum Curve: string
{
    case P256 = 'P-256';
    case P384 = 'P-384';
    case P521 = 'P-521';

    /** The curve that OpenSSL calls by this name, if it is one of these. */
    public static function fromOpenssl(string $name): ?self
    {
        return match ($name) {
            'prime256v1' => self::P256,
            'secp384r1' => self::P384,
            'secp521r1' => self::P521,
            default => null,
        };
    }

    /** How long r and s are in a JOSE signature. */
    public function coordinateBytes(): int
    {
        return match ($this) {
            self::P256 => 32,
            self::P384 => 48,
            self::P521 => 66,
        };
    }
}
