<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Sodium;

use Sectax\Probe\Operation\Operation;

use function sodium_crypto_sign_verify_detached;

final class SodiumVerify implements Operation
{
    public function __construct(
        private readonly string $signingInput,
        private readonly string $signature,
        private readonly string $publicKey,
    ) {
    }

    public function run(): ?string
    {
        return sodium_crypto_sign_verify_detached($this->signature, $this->signingInput, $this->publicKey) ? '' : null;
    }
}
