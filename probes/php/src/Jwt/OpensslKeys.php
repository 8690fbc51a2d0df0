<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Closure;
use OpenSSLAsymmetricKey;
use RuntimeException;
use Sectax\Probe\Protocol\Refusal;

use function openssl_sign;
use function openssl_verify;

/**
 * RSA and EC keys of OpenSSL.
 *
 * Only a text that starts like a PEM is handed to it: PHP takes "file://…" for the name of a file, and for a public key
 * a certificate or a private key as well. Parsed per call, the calls get the PEM and parse it each time.
 */
final class OpensslKeys
{
    /** The curves of RFC 7518, section 3.4, by OpenSSL's names. */
    private const CURVES = ['prime256v1' => 'P-256', 'secp384r1' => 'P-384', 'secp521r1' => 'P-521'];

    /** @throws Refusal when it is no key, or not one for this algorithm */
    public static function signing(string $algorithm, string $pem, bool $perCall): SigningKey
    {
        $parsed = str_starts_with($pem, '-----BEGIN PRIVATE KEY-----') ? openssl_pkey_get_private($pem) : false;
        $parsed = $parsed ?: throw Refusal::failed('private_key_pem is not a PKCS#8 PEM key');
        $key = $perCall ? $pem : $parsed;
        [$digest, , $bytes] = Algorithms::OPENSSL[$algorithm];
        // For ECDSA OpenSSL gives out DER.
        $toJose = $bytes === null ? null : static fn (string $der): string => EcdsaSignature::toJose($der, $bytes);

        return new SigningKey(
            self::witnesses($algorithm, $parsed, $perCall ? 'PKCS#8 PEM' : null),
            static fn (string $input): Closure =>
                static fn (): ?string => openssl_sign($input, $made, $key, $digest) ? $made : null,
            static function (string $input) use ($key, $digest, $bytes): string {
                if (!openssl_sign($input, $signature, $key, $digest)) {
                    throw new RuntimeException('openssl_sign() failed');
                }

                return $bytes === null ? $signature : EcdsaSignature::toJose($signature, $bytes);
            },
            $toJose,
        );
    }

    /** @throws Refusal when it is no key, or not one for this algorithm */
    public static function verifying(string $algorithm, string $pem, bool $perCall): VerifyingKey
    {
        $parsed = str_starts_with($pem, '-----BEGIN PUBLIC KEY-----') ? openssl_pkey_get_public($pem) : false;
        $parsed = $parsed ?: throw Refusal::failed('public_key_pem is not a SubjectPublicKeyInfo PEM key');
        $key = $perCall ? $pem : $parsed;
        [$digest, , $bytes] = Algorithms::OPENSSL[$algorithm];

        // 0 is no, -1 and false are errors
        return new VerifyingKey(
            self::witnesses($algorithm, $parsed, $perCall ? 'SubjectPublicKeyInfo PEM' : null),
            static function (string $input, string $signature) use ($key, $digest, $bytes): Closure {
                $native = $bytes === null ? $signature : EcdsaSignature::toDer($signature, $bytes);

                return static fn (): ?string => openssl_verify($input, $native, $key, $digest) === 1 ? '' : null;
            },
            static function (string $input, string $signature) use ($key, $digest, $bytes): bool {
                $native = $bytes === null ? $signature : EcdsaSignature::toDer($signature, $bytes);

                return openssl_verify($input, $native, $key, $digest) === 1;
            },
        );
    }

    /** The public half of a private key, as SubjectPublicKeyInfo PEM. */
    public static function publicPem(string $privatePem): string
    {
        return openssl_pkey_get_details(openssl_pkey_get_private($privatePem))['key'];
    }

    /**
     * @return array<string, string|int>
     *
     * @throws Refusal when the key is of another kind than the algorithm's
     */
    private static function witnesses(string $algorithm, OpenSSLAsymmetricKey $parsed, ?string $format): array
    {
        $details = openssl_pkey_get_details($parsed) ?: throw Refusal::failed('OpenSSL says nothing about this key');
        $name = $details['ec']['curve_name'] ?? '';
        $curve = self::CURVES[$name] ?? $name;
        $type = match (true) {
            $details['type'] === OPENSSL_KEYTYPE_RSA => 'RSA',
            $curve !== '' => 'EC', // not by its type: PHP 8.2 gives an Ed25519 key that of EC too
            default => 'other',
        };
        $neededCurve = Algorithms::OPENSSL[$algorithm][1];
        $needed = $neededCurve === '' ? 'RSA' : 'EC';
        if ([$type, $curve] !== [$needed, $neededCurve]) {
            throw Refusal::failed(
                rtrim("$algorithm needs a key of type $needed $neededCurve") . rtrim(", this one is $type $curve")
            );
        }

        return ['key_type' => $type, 'key_bits' => $details['bits']]
            + ($curve === '' ? [] : ['curve' => $curve])
            + ['implementation' => 'openssl', 'key_format' => $format ?? 'OpenSSLAsymmetricKey'];
    }
}
