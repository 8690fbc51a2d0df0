<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Operation;

/** A key that verifies, in both layers. */
interface VerifyingKey
{
    /**
     * Layer primitive: the bare call over these bytes and this signature. The signature comes in JOSE form and is
     * turned into the call's own form here.
     *
     * @throws InvalidToken when it has not even the form of a signature
     */
    public function verifying(string $signingInput, string $signature): Operation;

    /**
     * Layer library: whether this is the signature of these bytes, in JOSE form.
     *
     * @throws InvalidToken when it has not even the form of a signature
     */
    public function verify(string $signingInput, string $signature): bool;

    /** @return array<string, string|int> what the key says of itself, and what works with it */
    public function witnesses(): array;
}
