<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Sodium;

use Sectax\Probe\Jwt\InvalidToken;
use Sectax\Probe\Jwt\KeyUse;
use Sectax\Probe\Jwt\VerifyingKey;
use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Protocol\Refusal;

use function base64_decode;
use function sodium_crypto_sign_verify_detached;
use function strlen;

/** An Ed25519 key that sodium verifies with; parsed per call, it is handed over as base64 of its 32 bytes. */
final class PublicKey implements VerifyingKey
{
    private function __construct(private readonly string $key, private readonly bool $encoded)
    {
    }

    /**
     * @throws Refusal
     */
    public static function fromPem(string $pem, KeyUse $use): self
    {
        return self::fromBytes(Ed25519Pem::publicKey($pem), $use);
    }

    public static function fromBytes(string $bytes, KeyUse $use): self
    {
        return $use === KeyUse::ParsedOnce ? new self($bytes, false) : new self(base64_encode($bytes), true);
    }

    public function verifying(string $signingInput, string $signature): Operation
    {
        self::checkLength($signature);

        return $this->encoded
            ? new SodiumVerifyEncodedKey($signingInput, $signature, $this->key)
            : new SodiumVerify($signingInput, $signature, $this->key);
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
            'key_format' => $this->encoded ? 'base64 of the 32 bytes of a sodium public key' : 'sodium public key',
            'implementation' => 'sodium',
        ];
    }

    private function bytes(): string
    {
        return $this->encoded ? base64_decode($this->key, true) : $this->key;
    }

    /** Sodium throws at a signature of the wrong length; here that is one more token that is not genuine. */
    private static function checkLength(string $signature): void
    {
        if (strlen($signature) !== SODIUM_CRYPTO_SIGN_BYTES) {
            throw new InvalidToken('an Ed25519 signature of the wrong length');
        }
    }
}
