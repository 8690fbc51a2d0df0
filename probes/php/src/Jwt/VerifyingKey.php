<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Closure;

/** A key that verifies, in both layers. Signatures come in JOSE form; what has no such form is an InvalidToken. */
final class VerifyingKey
{
    /**
     * @param array<string, string|int>     $witnesses what the key says of itself, and what works with it
     * @param Closure(string, string): (Closure(): ?string) $verifying layer primitive: of bytes and their signature the
     *                                                                 bare call, with the signature in the call's form
     * @param Closure(string, string): bool $verify    layer library: whether this is the signature of these bytes
     */
    public function __construct(
        public readonly array $witnesses,
        public readonly Closure $verifying,
        public readonly Closure $verify,
    ) {
    }
}
