<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Operation;

/** A key that signs, in both layers. */
interface SigningKey
{
    /** Layer primitive: the bare call over these bytes. */
    public function signing(string $signingInput): Operation;

    /** What the bare call gave out, in JOSE form. */
    public function toJose(string $product): string;

    /** Layer library: the signature of these bytes, in JOSE form. */
    public function sign(string $signingInput): string;

    /** @return array<string, string|int> what the key says of itself, and what works with it */
    public function witnesses(): array;
}
