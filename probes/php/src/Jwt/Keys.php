<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Closure;
use RuntimeException;
use Sectax\Probe\Inputs;
use Sectax\Probe\Kit\Refusal;

/** What the keys of an algorithm do, in both layers. A signature whose JOSE form is none is refused. */
final class Keys
{
    public const HMAC = ['HS256' => 'sha256', 'HS384' => 'sha384', 'HS512' => 'sha512'];
    /**
     * The hash as openssl_sign() takes it (a number is cheaper than a name, which it looks up each time), the kind of
     * key, and for ECDSA how long r and s are in a JOSE signature (RFC 7518, section 3.4). There is no PSS.
     */
    public const OPENSSL = [
        'RS256' => [OPENSSL_ALGO_SHA256, 'RSA', null],
        'RS384' => [OPENSSL_ALGO_SHA384, 'RSA', null],
        'RS512' => [OPENSSL_ALGO_SHA512, 'RSA', null],
        'ES256' => [OPENSSL_ALGO_SHA256, 'EC P-256', 32],
        'ES384' => [OPENSSL_ALGO_SHA384, 'EC P-384', 48],
        'ES512' => [OPENSSL_ALGO_SHA512, 'EC P-521', 66],
        'ES256K' => [OPENSSL_ALGO_SHA256, 'EC secp256k1', 32],
    ];
    private const CURVES = ['prime256v1' => 'P-256', 'secp384r1' => 'P-384', 'secp521r1' => 'P-521'];
    /** What is before the 32 bytes of Ed25519 in a PrivateKeyInfo and in a SubjectPublicKeyInfo (RFC 8410). */
    private const ED25519 = [
        'private_key_pem' => "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20",
        'public_key_pem' => "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00",
    ];

    /**
     * @param Closure(string): (Closure(): ?string) $signing layer primitive: of some bytes the bare call
     * @param Closure(string, string): (Closure(): ?string) $verifying the same, of bytes and their signature
     * @param Closure(string): string $sign layer library: of bytes their signature
     * @param Closure(string, string): bool $verify whether this is the signature of these bytes
     * @param (Closure(string): string)|null $toJose what the bare call gave out, in JOSE form
     */
    private function __construct(
        public readonly array $witnesses,
        public readonly Closure $signing,
        public readonly Closure $verifying,
        public readonly Closure $sign,
        public readonly Closure $verify,
        public readonly ?Closure $toJose = null,
    ) {
    }

    /** A shared secret: it signs and it verifies, and there is nothing in it to parse. */
    public static function hmac(string $algorithm, string $secret): self
    {
        $hash = self::HMAC[$algorithm];
        return new self(
            self::witnesses('oct', 8 * strlen($secret), '', 'hash', 'the bytes of the secret'),
            static fn (string $input): Closure => static fn (): string => \hash_hmac($hash, $input, $secret, true),
            static fn (string $input, string $signature): Closure =>
                static fn (): ?string => \hash_equals(\hash_hmac($hash, $input, $secret, true), $signature) ? '' : null,
            static fn (string $input): string => \hash_hmac($hash, $input, $secret, true),
            static fn (string $input, string $signature): bool =>
                \hash_equals(\hash_hmac($hash, $input, $secret, true), $signature),
        );
    }

    /** RSA and EC keys. Parsed per call, the calls get the PEM and parse it each time. */
    public static function openssl(string $algorithm, Inputs $inputs, bool $signs, bool $perCall): self
    {
        [$digest, , $bytes] = self::OPENSSL[$algorithm];
        [$key, $publicPem, $witnesses] = $signs
            ? self::parsed($algorithm, 'private_key_pem', $inputs->text('private_key_pem'), $perCall)
            : [null, null, null];
        $publicPem = $inputs->optional('public_key_pem') ?? $publicPem ?? $inputs->text('public_key_pem');
        [$public, , $ofPublic] = self::parsed($algorithm, 'public_key_pem', $publicPem, $perCall);
        return new self(
            $witnesses ?? $ofPublic,
            static fn (string $input): Closure =>
                static fn (): ?string => \openssl_sign($input, $made, $key, $digest) ? $made : null,
            static function (string $input, string $signature) use ($public, $digest, $bytes): Closure {
                $native = $bytes === null ? $signature : EcdsaSignature::toDer($signature, $bytes);
                return static fn (): ?string => \openssl_verify($input, $native, $public, $digest) === 1 ? '' : null;
            },
            static function (string $input) use ($key, $digest, $bytes): string {
                if (!\openssl_sign($input, $signature, $key, $digest)) {
                    throw new RuntimeException('openssl_sign() failed');
                }
                return $bytes === null ? $signature : EcdsaSignature::toJose($signature, $bytes);
            },
            static function (string $input, string $signature) use ($public, $digest, $bytes): bool {
                $native = $bytes === null ? $signature : EcdsaSignature::toDer($signature, $bytes);
                return \openssl_verify($input, $native, $public, $digest) === 1; // 0 is no, -1 and false are errors
            },
            $bytes === null ? null : static fn (string $der): string => EcdsaSignature::toJose($der, $bytes),
        );
    }

    /** Ed25519. Parsed per call, keys are sodium's bytes in base64, as PHP programs keep them. */
    public static function sodium(Inputs $inputs, bool $signs, bool $perCall): self
    {
        $pair = $signs ? sodium_crypto_sign_seed_keypair(self::raw($inputs, 'private_key_pem')) : '';
        $key = $signs ? sodium_crypto_sign_secretkey($pair) : '';
        $public = $signs && $inputs->optional('public_key_pem') === null
            ? sodium_crypto_sign_publickey($pair)
            : self::raw($inputs, 'public_key_pem');
        [$own, $text] = [base64_encode($key), base64_encode($public)];
        [$format, $size] = $signs ? ['sodium secret key', strlen($key)] : ['sodium public key', strlen($public)];
        $format = $perCall ? "base64 of the $size bytes of a $format" : $format;
        return new self(
            self::witnesses('OKP', 8 * strlen($public), 'Ed25519', 'sodium', $format),
            $perCall
                ? static fn (string $input): Closure =>
                    static fn (): string => \sodium_crypto_sign_detached($input, \base64_decode($own, true))
                : static fn (string $input): Closure =>
                    static fn (): string => \sodium_crypto_sign_detached($input, $key),
            static function (string $input, string $signature) use ($public, $text, $perCall): Closure {
                self::checkLength($signature);
                return $perCall
                    ? static fn (): ?string =>
                        \sodium_crypto_sign_verify_detached($signature, $input, \base64_decode($text, true)) ? '' : null
                    : static fn (): ?string =>
                        \sodium_crypto_sign_verify_detached($signature, $input, $public) ? '' : null;
            },
            static fn (string $input): string =>
                \sodium_crypto_sign_detached($input, $perCall ? \base64_decode($own, true) : $key),
            static function (string $input, string $signature) use ($public, $text, $perCall): bool {
                self::checkLength($signature);
                return \sodium_crypto_sign_verify_detached(
                    $signature,
                    $input,
                    $perCall ? \base64_decode($text, true) : $public
                );
            },
        );
    }

    /** @return array{OpenSSLAsymmetricKey|string, string, array} key of the calls, public key in PEM, witnesses */
    private static function parsed(string $algorithm, string $name, string $pem, bool $perCall): array
    {
        [$label, $format, $parse] = $name === 'private_key_pem'
            ? ['PRIVATE', 'PKCS#8 PEM', openssl_pkey_get_private(...)]
            : ['PUBLIC', 'SubjectPublicKeyInfo PEM', openssl_pkey_get_public(...)];
        // PHP takes "file://…" for the name of a file, and for a public key a certificate or a private key as well.
        $parsed = str_starts_with($pem, "-----BEGIN $label KEY-----") ? $parse($pem) : false;
        $details = openssl_pkey_get_details($parsed ?: throw new Refusal("$name is not a $format key"));
        $curve = $details['ec']['curve_name'] ?? '';
        $curve = self::CURVES[$curve] ?? $curve;
        // EC not by its type: PHP 8.2 gives an Ed25519 key that too.
        $type = $details['type'] === OPENSSL_KEYTYPE_RSA ? 'RSA' : ($curve === '' ? 'other' : 'EC');
        [$type, $needed] = [rtrim("$type $curve"), self::OPENSSL[$algorithm][1]];
        if ($type !== $needed) {
            throw new Refusal("$algorithm needs a key of type $needed, this one is $type");
        }
        $format = $perCall ? $format : 'OpenSSLAsymmetricKey';
        $witnesses = self::witnesses(strtok($type, ' '), $details['bits'], $curve, 'openssl', $format);
        return [$perCall ? $pem : $parsed, $details['key'], $witnesses];
    }

    /** The 32 bytes of a key of Ed25519 in PEM, which sodium does not read. */
    private static function raw(Inputs $inputs, string $name): string
    {
        $prefix = self::ED25519[$name];
        $label = strtoupper(strtok($name, '_'));
        $pattern = "/\A-----BEGIN $label KEY-----\s+([A-Za-z0-9+\/=\s]+)-----END $label KEY-----\s*\z/";
        $der = preg_match($pattern, $inputs->text($name), $match) === 1 ? base64_decode($match[1]) : '';
        return strlen($der) === strlen($prefix) + 32 && str_starts_with($der, $prefix)
            ? substr($der, strlen($prefix))
            : throw new Refusal("$name is not an Ed25519 key in PEM");
    }

    private static function witnesses(string $type, int $bits, string $curve, string $work, string $format): array
    {
        $witnesses = ['key_type' => $type, 'key_bits' => $bits, 'implementation' => $work, 'key_format' => $format];
        return $witnesses + ($curve === '' ? [] : ['curve' => $curve]);
    }

    /** Sodium throws at a signature of the wrong length; here that is one more token that is not genuine. */
    private static function checkLength(string $signature): void
    {
        if (\strlen($signature) !== SODIUM_CRYPTO_SIGN_BYTES) {
            throw new Refusal('an Ed25519 signature of the wrong length');
        }
    }
}
