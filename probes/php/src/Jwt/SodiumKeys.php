<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Closure;
use Sectax\Probe\Protocol\Refusal;

use function base64_decode;
use function sodium_crypto_sign_detached;
use function sodium_crypto_sign_verify_detached;
use function strlen;

/**
 * Ed25519 keys of sodium.
 *
 * Sodium's secret key is the seed and the public key, 64 bytes. Parsed per call, keys are handed over as PHP programs
 * keep them (and firebase/php-jwt takes them): those bytes in base64.
 */
final class SodiumKeys
{
    /** @throws Refusal when it is no key of Ed25519 */
    public static function signing(string $pem, bool $perCall): SigningKey
    {
        $key = self::secret($pem);
        $base64 = base64_encode($key);

        return new SigningKey(
            self::witnesses(substr($key, SODIUM_CRYPTO_SIGN_SEEDBYTES), 'secret key', strlen($key), $perCall),
            $perCall
                ? static fn (string $input): Closure =>
                    static fn (): string => sodium_crypto_sign_detached($input, base64_decode($base64, true))
                : static fn (string $input): Closure =>
                    static fn (): string => sodium_crypto_sign_detached($input, $key),
            static fn (string $input): string =>
                sodium_crypto_sign_detached($input, $perCall ? base64_decode($base64, true) : $key),
        );
    }

    /** @param string $key its 32 bytes */
    public static function verifying(string $key, bool $perCall): VerifyingKey
    {
        $base64 = base64_encode($key);

        return new VerifyingKey(
            self::witnesses($key, 'public key', strlen($key), $perCall),
            static function (string $input, string $signature) use ($key, $base64, $perCall): Closure {
                self::checkLength($signature);

                return $perCall
                    ? static fn (): ?string =>
                        sodium_crypto_sign_verify_detached($signature, $input, base64_decode($base64, true)) ? '' : null
                    : static fn (): ?string =>
                        sodium_crypto_sign_verify_detached($signature, $input, $key) ? '' : null;
            },
            static function (string $input, string $signature) use ($key, $base64, $perCall): bool {
                self::checkLength($signature);

                return sodium_crypto_sign_verify_detached(
                    $signature,
                    $input,
                    $perCall ? base64_decode($base64, true) : $key
                );
            },
        );
    }

    /** The public half of a private key, 32 bytes. */
    public static function publicKey(string $privatePem): string
    {
        return sodium_crypto_sign_publickey_from_secretkey(self::secret($privatePem));
    }

    private static function secret(string $pem): string
    {
        return sodium_crypto_sign_secretkey(sodium_crypto_sign_seed_keypair(Ed25519Pem::seed($pem)));
    }

    /** @return array<string, string|int> */
    private static function witnesses(string $public, string $kind, int $size, bool $perCall): array
    {
        return [
            'key_type' => 'OKP',
            'key_bits' => 8 * strlen($public),
            'curve' => 'Ed25519',
            'key_format' => $perCall ? "base64 of the $size bytes of a sodium $kind" : "sodium $kind",
            'implementation' => 'sodium',
        ];
    }

    /** Sodium throws at a signature of the wrong length; here that is one more token that is not genuine. */
    private static function checkLength(string $signature): void
    {
        if (strlen($signature) !== SODIUM_CRYPTO_SIGN_BYTES) {
            throw new InvalidToken('an Ed25519 signature of the wrong length');
        }
    }
}
