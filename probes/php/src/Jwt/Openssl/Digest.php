<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Openssl;

use ValueError;

/** The hashes of RFC 7518 as openssl_sign() takes them: a number is cheaper than a name, which it looks up each time. */
final class Digest
{
    public static function constant(string $hash): int
    {
        return match ($hash) {
            'sha256' => OPENSSL_ALGO_SHA256,
            'sha384' => OPENSSL_ALGO_SHA384,
            'sha512' => OPENSSL_ALGO_SHA512,
            default => throw new ValueError("no digest $hash"),
        };
    }
}
