<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Sodium;

use Sectax\Probe\Operation\Operation;

use function sodium_crypto_sign_detached;

final class SodiumSign implements Operation
{
    /** @param string $secretKey sodium's own 64 bytes: the seed and the public key */
    public function __construct(private readonly string $signingInput, private readonly string $secretKey)
    {
    }

    public function run(): ?string
    {
        return sodium_crypto_sign_detached($this->signingInput, $this->secretKey);
    }
}
