<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Operation;
use stdClass;

/** Layer library: a complete token from the claims. */
final class TokenSign implements Operation
{
    public function __construct(
        private readonly stdClass $claims,
        private readonly string $algorithm,
        private readonly Signer $signer,
    ) {
    }

    public function run(): ?string
    {
        return Jws::encode($this->claims, $this->algorithm, $this->signer);
    }
}
