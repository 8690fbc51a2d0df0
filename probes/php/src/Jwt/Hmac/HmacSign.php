<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Hmac;

use Sectax\Probe\Operation\Operation;

use function hash_hmac;

final class HmacSign implements Operation
{
    public function __construct(
        private readonly string $hash,
        private readonly string $signingInput,
        private readonly string $secret,
    ) {
    }

    public function run(): ?string
    {
        return hash_hmac($this->hash, $this->signingInput, $this->secret, true);
    }
}
