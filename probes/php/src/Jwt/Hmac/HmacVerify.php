<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Hmac;

use Sectax\Probe\Operation\Operation;

use function hash_equals;
use function hash_hmac;

final class HmacVerify implements Operation
{
    public function __construct(
        private readonly string $hash,
        private readonly string $signingInput,
        private readonly string $signature,
        private readonly string $secret,
    ) {
    }

    public function run(): ?string
    {
        $genuine = hash_hmac($this->hash, $this->signingInput, $this->secret, true);

        return hash_equals($genuine, $this->signature) ? '' : null;
    }
}
