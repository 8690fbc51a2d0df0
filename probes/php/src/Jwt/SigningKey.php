<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Closure;

/** A key that signs, in both layers. */
final class SigningKey
{
    /**
     * @param array<string, string|int>             $witnesses what the key says of itself, and what works with it
     * @param Closure(string): (Closure(): ?string) $signing   layer primitive: of some bytes the bare call
     * @param Closure(string): string               $sign      layer library: their signature, in JOSE form
     * @param (Closure(string): string)|null        $toJose    turns what the bare call gave out into JOSE form
     */
    public function __construct(
        public readonly array $witnesses,
        public readonly Closure $signing,
        public readonly Closure $sign,
        public readonly ?Closure $toJose = null,
    ) {
    }
}
