<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

/** What the library layer needs of a key to sign. */
interface Signer
{
    /** The signature of these bytes, as JOSE wants it. */
    public function sign(string $signingInput): string;
}
