<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Protocol\Refusal;

use function base64_decode;
use function sodium_crypto_sign_detached;

/**
 * An Ed25519 key that sodium signs with.
 *
 * Sodium's secret key is the seed and the public key, 64 bytes. Parsed per call, it is handed over as PHP programs keep
 * it (and firebase/php-jwt takes it): those bytes in base64.
 */
final class SodiumSecretKey implements SigningKey
{
    private readonly string $key;

    /**
     * @param bool $perCall whether base64 is decoded on every call
     *
     * @throws Refusal
     */
    public function __construct(string $pem, private readonly bool $perCall)
    {
        $key = sodium_crypto_sign_secretkey(sodium_crypto_sign_seed_keypair(Ed25519Pem::seed($pem)));
        $this->key = $perCall ? base64_encode($key) : $key;
    }

    public function publicKey(): SodiumPublicKey
    {
        return new SodiumPublicKey(sodium_crypto_sign_publickey_from_secretkey($this->bytes()), $this->perCall);
    }

    public function signing(string $signingInput): Operation
    {
        if (!$this->perCall) {
            return new class ($signingInput, $this->key) implements Operation {
                public function __construct(private readonly string $signingInput, private readonly string $key)
                {
                }

                public function run(): ?string
                {
                    return sodium_crypto_sign_detached($this->signingInput, $this->key);
                }
            };
        }

        return new class ($signingInput, $this->key) implements Operation {
            public function __construct(private readonly string $signingInput, private readonly string $base64)
            {
            }

            public function run(): ?string
            {
                return sodium_crypto_sign_detached($this->signingInput, base64_decode($this->base64, true));
            }
        };
    }

    public function toJose(string $product): string
    {
        return $product;
    }

    public function sign(string $signingInput): string
    {
        return sodium_crypto_sign_detached($signingInput, $this->bytes());
    }

    public function witnesses(): array
    {
        return [
            'key_type' => 'OKP',
            'key_bits' => 8 * strlen(sodium_crypto_sign_publickey_from_secretkey($this->bytes())),
            'curve' => 'Ed25519',
            'key_format' => $this->perCall ? 'base64 of the 64 bytes of a sodium secret key' : 'sodium secret key',
            'implementation' => 'sodium',
        ];
    }

    private function bytes(): string
    {
        return $this->perCall ? base64_decode($this->key, true) : $this->key;
    }
}
