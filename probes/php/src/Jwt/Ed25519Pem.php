<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Protocol\Refusal;

/** The raw bytes of an Ed25519 key out of its PEM (RFC 8410): sodium reads no PEM. */
final class Ed25519Pem
{
    /** PrivateKeyInfo of version 0, Ed25519, and an OCTET STRING that holds an OCTET STRING of 32 bytes. */
    private const PRIVATE_PREFIX = "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";

    /** SubjectPublicKeyInfo, Ed25519, and a BIT STRING of 32 bytes. */
    private const PUBLIC_PREFIX = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";

    /**
     * @return string the seed, 32 bytes
     *
     * @throws Refusal
     */
    public static function seed(string $pem): string
    {
        return self::raw($pem, 'PRIVATE KEY', self::PRIVATE_PREFIX)
            ?? throw Refusal::failed('private_key_pem is not an Ed25519 key in PKCS#8 PEM');
    }

    /**
     * @return string 32 bytes
     *
     * @throws Refusal
     */
    public static function publicKey(string $pem): string
    {
        return self::raw($pem, 'PUBLIC KEY', self::PUBLIC_PREFIX)
            ?? throw Refusal::failed('public_key_pem is not an Ed25519 key in SubjectPublicKeyInfo PEM');
    }

    private static function raw(string $pem, string $label, string $prefix): ?string
    {
        $pattern = "/\A-----BEGIN $label-----\s+([A-Za-z0-9+\/=\s]+)-----END $label-----\s*\z/";
        $der = preg_match($pattern, $pem, $match) === 1 ? base64_decode($match[1], true) : false;
        if ($der === false || strlen($der) !== strlen($prefix) + 32 || !str_starts_with($der, $prefix)) {
            return null;
        }

        return substr($der, strlen($prefix));
    }
}
