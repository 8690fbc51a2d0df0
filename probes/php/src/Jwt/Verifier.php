<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

/** What the library layer needs of a key to verify. */
interface Verifier
{
    /**
     * Whether this is the signature of these bytes.
     *
     * @param string $signature as JOSE has it
     *
     * @throws InvalidToken when it has not even the form of a signature
     */
    public function verify(string $signingInput, string $signature): bool;
}
