<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Operation;

/** A key that verifies, in both layers: as a Verifier it serves the library. */
interface VerifyingKey extends Verifier
{
    /**
     * Layer primitive: the bare call over these bytes and this signature. The signature comes in JOSE form and is
     * turned into the call's own form here.
     *
     * @throws InvalidToken when it has not even the form of a signature
     */
    public function verifying(string $signingInput, string $signature): Operation;

    /** @return array<string, string|int> what the key says of itself, and what works with it */
    public function witnesses(): array;
}
