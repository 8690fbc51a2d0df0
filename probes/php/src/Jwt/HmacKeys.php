<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Closure;

use function hash_equals;
use function hash_hmac;

/** A shared secret: it signs and it verifies, and there is nothing in it to parse. */
final class HmacKeys
{
    /** @param string $hash as PHP's hash extension calls it */
    public static function signing(string $hash, string $secret): SigningKey
    {
        return new SigningKey(
            self::witnesses($secret),
            static fn (string $input): Closure => static fn (): string => hash_hmac($hash, $input, $secret, true),
            static fn (string $input): string => hash_hmac($hash, $input, $secret, true),
        );
    }

    public static function verifying(string $hash, string $secret): VerifyingKey
    {
        return new VerifyingKey(
            self::witnesses($secret),
            static fn (string $input, string $signature): Closure =>
                static fn (): ?string => hash_equals(hash_hmac($hash, $input, $secret, true), $signature) ? '' : null,
            static fn (string $input, string $signature): bool =>
                hash_equals(hash_hmac($hash, $input, $secret, true), $signature),
        );
    }

    /** @return array<string, string|int> */
    private static function witnesses(string $secret): array
    {
        return [
            'key_type' => 'oct',
            'key_bits' => 8 * strlen($secret),
            'key_format' => 'the bytes of the secret',
            'implementation' => 'hash',
        ];
    }
}
