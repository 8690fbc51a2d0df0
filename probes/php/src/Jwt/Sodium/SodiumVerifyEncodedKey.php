<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Sodium;

use Sectax\Probe\Operation\Operation;

use function base64_decode;
use function sodium_crypto_sign_verify_detached;

/** Verifies with a key that is decoded on every call. */
final class SodiumVerifyEncodedKey implements Operation
{
    /** @param string $encodedKey base64 of the 32 bytes of the public key */
    public function __construct(
        private readonly string $signingInput,
        private readonly string $signature,
        private readonly string $encodedKey,
    ) {
    }

    public function run(): ?string
    {
        $publicKey = base64_decode($this->encodedKey, true);

        return sodium_crypto_sign_verify_detached($this->signature, $this->signingInput, $publicKey) ? '' : null;
    }
}
