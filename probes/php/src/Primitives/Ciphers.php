<?php

declare(strict_types=1);

namespace Sectax\Probe\Primitives;

use Sectax\Probe\Jwt\Base64Url;
use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Protocol\Inputs;
use Sectax\Probe\Protocol\Refusal;

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
    public static function seal(string $algorithm, Inputs $inputs): Primitive
    {
        [$key, $data] = [self::key($algorithm, $inputs), Families::bytes($inputs, 'data')];
        $sealing = self::CIPHERS[$algorithm] === 'sodium'
            ? new class ($key, $data, random_bytes(self::NONCE)) implements Operation {
                public string $tag = ''; // sodium puts it behind the ciphertext

                public function __construct(
                    private readonly string $key,
                    private readonly string $data,
                    public string $nonce,
                ) {
                }

                public function run(): ?string
                {
                    sodium_increment($this->nonce);

                    return sodium_crypto_aead_chacha20poly1305_ietf_encrypt($this->data, '', $this->nonce, $this->key);
                }
            }
            : new class ($algorithm, $key, $data, random_bytes(self::NONCE)) implements Operation {
                public string $tag = '';

                public function __construct(
                    private readonly string $cipher,
                    private readonly string $key,
                    private readonly string $data,
                    public string $nonce,
                ) {
                }

                public function run(): ?string
                {
                    sodium_increment($this->nonce);
                    $sealed = openssl_encrypt(
                        $this->data,
                        $this->cipher,
                        $this->key,
                        OPENSSL_RAW_DATA,
                        $this->nonce,
                        $this->tag
                    );

                    return $sealed === false ? null : $sealed;
                }
            };
        $artefact = static function () use ($sealing): string {
            $ciphertext = $sealing->run();

            return Base64Url::encode($sealing->nonce . $ciphertext . $sealing->tag);
        };

        return self::ready($sealing, $algorithm, $key, strlen($data), $artefact);
    }

    public static function open(string $algorithm, Inputs $inputs): Primitive
    {
        [$key, $sealed] = [self::key($algorithm, $inputs), Families::bytes($inputs, 'sealed')];
        $opening = self::opening($algorithm, $key, $sealed);
        $artefact = static fn (): string => Base64Url::encode((string) $opening->run());

        return self::ready($opening, $algorithm, $key, strlen($sealed) - self::NONCE - self::TAG, $artefact);
    }

    private static function key(string $algorithm, Inputs $inputs): string
    {
        $key = Families::bytes($inputs, 'key');
        // openssl would pad a short key in silence
        return strlen($key) === ($algorithm === 'aes-128-gcm' ? 16 : 32)
            ? $key
            : throw Refusal::failed('input key is of another length');
    }

    private static function opening(string $algorithm, string $key, string $sealed): Operation
    {
        $nonce = substr($sealed, 0, self::NONCE);
        if (self::CIPHERS[$algorithm] === 'sodium') {
            return new class ($key, $nonce, substr($sealed, self::NONCE)) implements Operation {
                public function __construct(
                    private readonly string $key,
                    private readonly string $nonce,
                    private readonly string $body,
                ) {
                }

                public function run(): ?string
                {
                    $data = sodium_crypto_aead_chacha20poly1305_ietf_decrypt($this->body, '', $this->nonce, $this->key);

                    return $data === false ? null : $data;
                }
            };
        }
        [$ciphertext, $tag] = [substr($sealed, self::NONCE, -self::TAG), substr($sealed, -self::TAG)];

        return new class ($algorithm, $key, $nonce, $ciphertext, $tag) implements Operation {
            public function __construct(
                private readonly string $cipher,
                private readonly string $key,
                private readonly string $nonce,
                private readonly string $ciphertext,
                private readonly string $tag,
            ) {
            }

            public function run(): ?string
            {
                $data = openssl_decrypt(
                    $this->ciphertext,
                    $this->cipher,
                    $this->key,
                    OPENSSL_RAW_DATA,
                    $this->nonce,
                    $this->tag
                );

                return $data === false ? null : $data;
            }
        };
    }

    /** @param \Closure(): string $artefact */
    private static function ready(
        Operation $operation,
        string $algorithm,
        string $key,
        int $size,
        \Closure $artefact,
    ): Primitive {
        $takes = static function (string $shown) use ($algorithm, $key): bool {
            $sealed = Base64Url::decode($shown);

            return strlen($sealed) >= self::NONCE + self::TAG
                && self::opening($algorithm, $key, $sealed)->run() !== null;
        };
        $witnesses = ['key_bits' => 8 * strlen($key), 'data_bytes' => $size];

        return new Primitive(
            $operation,
            $witnesses + ['implementation' => self::CIPHERS[$algorithm]],
            $artefact,
            $takes
        );
    }
}
