<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Operation;

/** Layer library: the complete token, whose claims the library gives back. */
final class TokenVerify implements Operation
{
    public function __construct(
        private readonly string $token,
        private readonly string $algorithm,
        private readonly Verifier $verifier,
    ) {
    }

    public function run(): ?string
    {
        try {
            Jws::decode($this->token, $this->algorithm, $this->verifier);
        } catch (InvalidToken) {
            return null;
        }

        return '';
    }
}
