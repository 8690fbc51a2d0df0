<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Openssl;

use OpenSSLAsymmetricKey;
use Sectax\Probe\Protocol\Refusal;

/**
 * Keys out of PEM texts.
 *
 * Only texts that start like a PEM are handed to OpenSSL: PHP takes "file://…" for the name of a file, and for a public
 * key a certificate or a private key as well.
 */
final class Pem
{
    public static function privateKey(string $pem): OpenSSLAsymmetricKey
    {
        $key = str_starts_with($pem, '-----BEGIN PRIVATE KEY-----') ? openssl_pkey_get_private($pem) : false;

        return $key !== false ? $key : throw Refusal::failed('private_key_pem is not a PKCS#8 PEM key');
    }

    public static function publicKey(string $pem): OpenSSLAsymmetricKey
    {
        $key = str_starts_with($pem, '-----BEGIN PUBLIC KEY-----') ? openssl_pkey_get_public($pem) : false;

        return $key !== false ? $key : throw Refusal::failed('public_key_pem is not a SubjectPublicKeyInfo PEM key');
    }
}
