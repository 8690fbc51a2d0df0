<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Sodium;

use Sectax\Probe\Jwt\KeyUse;
use Sectax\Probe\Jwt\SigningKey;
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
final class SecretKey implements SigningKey
{
    private function __construct(private readonly string $key, private readonly bool $encoded)
    {
    }

    /**
     * @throws Refusal
     */
    public static function fromPem(string $pem, KeyUse $use): self
    {
        $key = sodium_crypto_sign_secretkey(sodium_crypto_sign_seed_keypair(Ed25519Pem::seed($pem)));

        return $use === KeyUse::ParsedOnce ? new self($key, false) : new self(base64_encode($key), true);
    }

    public function publicKey(): PublicKey
    {
        $public = sodium_crypto_sign_publickey_from_secretkey($this->bytes());

        return PublicKey::fromBytes($public, $this->encoded ? KeyUse::ParsedPerCall : KeyUse::ParsedOnce);
    }

    public function signing(string $signingInput): Operation
    {
        return $this->encoded
            ? new SodiumSignEncodedKey($signingInput, $this->key)
            : new SodiumSign($signingInput, $this->key);
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
            'key_format' => $this->encoded ? 'base64 of the 64 bytes of a sodium secret key' : 'sodium secret key',
            'implementation' => 'sodium',
        ];
    }

    private function bytes(): string
    {
        return $this->encoded ? base64_decode($this->key, true) : $this->key;
    }
}
