<?php

declare(strict_types=1);

namespace Sectax\Probe\Primitives;

use OpenSSLAsymmetricKey;
use Sectax\Probe\Base64Url;
use Sectax\Probe\Inputs;
use Sectax\Probe\Kit\Operation;
use Sectax\Probe\Kit\Refusal;

/** Key agreement: both sides of one exchange with fresh keys, and what they send as bytes in between. */
final class Exchange
{
    public const EXCHANGES = ['x25519' => 'sodium', 'p-256' => 'openssl'];
    /** A SubjectPublicKeyInfo of P-256 (RFC 5480) in front of the point. */
    private const SPKI = '3059301306072a8648ce3d020106082a8648ce3d030107034200';
    /** An ECPrivateKey of P-256 (RFC 5915) in front of its 32 bytes, and the curve behind them. */
    private const PRIVATE = ['30310201010420', 'a00a06082a8648ce3d030107'];

    public static function agree(string $algorithm, Inputs $inputs): Operation
    {
        [$private, $public] = [$inputs->bytes('private_key'), $inputs->bytes('public_key')];
        [$before, $after] = self::PRIVATE;
        $own = $algorithm === 'x25519' ? $private : self::pem('EC PRIVATE KEY', $before, $private, $after);
        $start = $algorithm === 'x25519' ? self::startX25519(...) : self::startP256(...);
        $run = static function () use ($start): ?string {
            [$key, $sent] = $start();
            [$responder, $message] = $start();
            $secret = self::shared($responder, $sent);
            return hash_equals($secret, self::shared($key, $message)) ? $secret : null;
        };
        return new Operation(
            $run,
            ['public_key_bytes' => strlen($public), 'implementation' => self::EXCHANGES[$algorithm]],
            static function () use ($start, $public): string {
                [$key, $message] = $start();
                return Base64Url::encode($message) . '.' . Base64Url::encode(self::shared($key, $public));
            },
            static function (string $shown) use ($own): bool {
                [$message, $secret] = Families::parts($shown, 2);
                return hash_equals($secret, self::shared($own, $message));
            },
        );
    }

    /** @return array{string, string} a fresh key, and its public part */
    private static function startX25519(): array
    {
        $key = random_bytes(32);
        return [$key, sodium_crypto_scalarmult_base($key)];
    }

    /** @return array{OpenSSLAsymmetricKey, string} a fresh key, and its public part */
    private static function startP256(): array
    {
        $key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
        $point = openssl_pkey_get_details($key)['ec'];

        [$x, $y] = [str_pad($point['x'], 32, "\0", STR_PAD_LEFT), str_pad($point['y'], 32, "\0", STR_PAD_LEFT)];
        return [$key, "\x04$x$y"];
    }

    /**
     * The secret with the other side's public key: of bytes X25519's, of a key or its PEM that of P-256.
     *
     * @throws Refusal when it is no point
     */
    private static function shared(string|OpenSSLAsymmetricKey $key, string $public): string
    {
        if (is_string($key) && strlen($key) === 32) {
            return strlen($public) === 32
                ? sodium_crypto_scalarmult($key, $public)
                : throw new Refusal('no public key of X25519');
        }
        $pem = self::pem('PUBLIC KEY', self::SPKI, $public);
        $other = strlen($public) === 65 ? @openssl_pkey_get_public($pem) : false;
        $secret = $other === false ? false : openssl_pkey_derive($other, $key);
        return $secret === false ? throw new Refusal('no point of the curve') : $secret;
    }

    private static function pem(string $kind, string $before, string $key, string $after = ''): string
    {
        $der = base64_encode(hex2bin($before) . $key . hex2bin($after));
        return "-----BEGIN $kind-----\n" . chunk_split($der, 64, "\n") . "-----END $kind-----\n";
    }
}
