<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Operation;

use function base64_decode;
use function sodium_crypto_sign_verify_detached;
use function strlen;

/** An Ed25519 key that sodium verifies with; parsed per call, it is handed over as base64 of its 32 bytes. */
final class SodiumPublicKey implements VerifyingKey
{
    private readonly string $key;

    /**
     * @param string $bytes   32 of them
     * @param bool   $perCall whether base64 is decoded on every call
     */
    public function __construct(string $bytes, private readonly bool $perCall)
    {
        $this->key = $perCall ? base64_encode($bytes) : $bytes;
    }

    public function verifying(string $signingInput, string $signature): Operation
    {
        self::checkLength($signature);
        if (!$this->perCall) {
            return new class ($signingInput, $signature, $this->key) implements Operation {
                public function __construct(
                    private readonly string $signingInput,
                    private readonly string $signature,
                    private readonly string $key,
                ) {
                }

                public function run(): ?string
                {
                    return sodium_crypto_sign_verify_detached($this->signature, $this->signingInput, $this->key)
                        ? ''
                        : null;
                }
            };
        }

        return new class ($signingInput, $signature, $this->key) implements Operation {
            public function __construct(
                private readonly string $signingInput,
                private readonly string $signature,
                private readonly string $base64,
            ) {
            }

            public function run(): ?string
            {
                $key = base64_decode($this->base64, true);

                return sodium_crypto_sign_verify_detached($this->signature, $this->signingInput, $key) ? '' : null;
            }
        };
    }

    public function verify(string $signingInput, string $signature): bool
    {
        self::checkLength($signature);

        return sodium_crypto_sign_verify_detached($signature, $signingInput, $this->bytes());
    }

    public function witnesses(): array
    {
        return [
            'key_type' => 'OKP',
            'key_bits' => 8 * strlen($this->bytes()),
            'curve' => 'Ed25519',
            'key_format' => $this->perCall ? 'base64 of the 32 bytes of a sodium public key' : 'sodium public key',
            'implementation' => 'sodium',
        ];
    }

    private function bytes(): string
    {
        return $this->perCall ? base64_decode($this->key, true) : $this->key;
    }

    /** Sodium throws at a signature of the wrong length; here that is one more token that is not genuine. */
    private static function checkLength(string $signature): void
    {
        if (strlen($signature) !== SODIUM_CRYPTO_SIGN_BYTES) {
            throw new InvalidToken('an Ed25519 signature of the wrong length');
        }
    }
}
