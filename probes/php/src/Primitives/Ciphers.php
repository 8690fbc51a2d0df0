<?php

declare(strict_types=1);

namespace Sectax\Probe\Primitives;

use Closure;
use Sectax\Probe\Base64Url;
use Sectax\Probe\Inputs;
use Sectax\Probe\Kit\Operation;
use Sectax\Probe\Kit\Refusal;

use function openssl_decrypt;
use function openssl_encrypt;
use function sodium_crypto_aead_chacha20poly1305_ietf_decrypt;
use function sodium_crypto_aead_chacha20poly1305_ietf_encrypt;
use function sodium_increment;

/** Authenticated encryption without additional data: AES-GCM of openssl, ChaCha20-Poly1305 of sodium. */
final class Ciphers
{
    /** By algorithm, what does the work. */
    public const CIPHERS = ['aes-256-gcm' => 'openssl', 'aes-128-gcm' => 'openssl', 'chacha20-poly1305' => 'sodium'];
    private const NONCE = 12;
    private const TAG = 16;

    /** The nonce is counted up in every operation, from a random one on, as whoever sends must. */
    public static function seal(string $algorithm, Inputs $inputs): Operation
    {
        [$key, $data] = [self::key($algorithm, $inputs), $inputs->bytes('data')];
        $nonce = random_bytes(self::NONCE);
        $tag = ''; // sodium puts it behind the ciphertext
        $run = self::CIPHERS[$algorithm] === 'sodium'
            ? static function () use ($key, $data, &$nonce): string {
                sodium_increment($nonce);
                return sodium_crypto_aead_chacha20poly1305_ietf_encrypt($data, '', $nonce, $key);
            }
            : static function () use ($algorithm, $key, $data, &$nonce, &$tag): ?string {
                sodium_increment($nonce);
                $sealed = openssl_encrypt($data, $algorithm, $key, OPENSSL_RAW_DATA, $nonce, $tag);
                return $sealed === false ? null : $sealed;
            };
        $artefact = static function () use ($run, &$nonce, &$tag): string {
            $ciphertext = $run();
            return Base64Url::encode($nonce . $ciphertext . $tag);
        };
        return self::ready($run, $algorithm, $key, strlen($data), $artefact);
    }

    public static function open(string $algorithm, Inputs $inputs): Operation
    {
        [$key, $sealed] = [self::key($algorithm, $inputs), $inputs->bytes('sealed')];
        $run = self::opening($algorithm, $key, $sealed);
        $artefact = static fn (): string => Base64Url::encode((string) $run());
        return self::ready($run, $algorithm, $key, strlen($sealed) - self::NONCE - self::TAG, $artefact);
    }

    private static function key(string $algorithm, Inputs $inputs): string
    {
        $key = $inputs->bytes('key');
        // openssl would pad a short key in silence
        return strlen($key) === ($algorithm === 'aes-128-gcm' ? 16 : 32)
            ? $key
            : throw new Refusal('input key is of another length');
    }

    /** @return Closure(): ?string */
    private static function opening(string $algorithm, string $key, string $sealed): Closure
    {
        [$nonce, $body] = [substr($sealed, 0, self::NONCE), substr($sealed, self::NONCE)];
        if (self::CIPHERS[$algorithm] === 'sodium') {
            return static function () use ($key, $nonce, $body): ?string {
                $data = sodium_crypto_aead_chacha20poly1305_ietf_decrypt($body, '', $nonce, $key);
                return $data === false ? null : $data;
            };
        }
        [$ciphertext, $tag] = [substr($body, 0, -self::TAG), substr($body, -self::TAG)];
        return static function () use ($algorithm, $key, $nonce, $ciphertext, $tag): ?string {
            $data = openssl_decrypt($ciphertext, $algorithm, $key, OPENSSL_RAW_DATA, $nonce, $tag);
            return $data === false ? null : $data;
        };
    }

    /**
     * @param Closure(): ?string $run
     * @param Closure(): string  $artefact
     */
    private static function ready(Closure $run, string $algorithm, string $key, int $size, Closure $artefact): Operation
    {
        $takes = static function (string $shown) use ($algorithm, $key): bool {
            $sealed = Base64Url::decode($shown);
            return strlen($sealed) >= self::NONCE + self::TAG && self::opening($algorithm, $key, $sealed)() !== null;
        };
        $witnesses = ['key_bits' => 8 * strlen($key), 'data_bytes' => $size];
        return new Operation($run, $witnesses + ['implementation' => self::CIPHERS[$algorithm]], $artefact, $takes);
    }
}
