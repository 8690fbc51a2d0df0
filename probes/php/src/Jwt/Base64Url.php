<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use function base64_decode;
use function base64_encode;
use function rtrim;
use function strtr;

/** Base64url without padding (RFC 7515, section 2). */
final class Base64Url
{
    public static function encode(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }

    /**
     * Decode the one canonical spelling of some bytes.
     *
     * base64_decode() lets blanks and stray trailing bits pass even when strict, so what it gives is encoded again: two
     * spellings of one signature would be two tokens.
     *
     * @throws InvalidToken
     */
    public static function decode(string $text): string
    {
        $bytes = base64_decode(strtr($text, '-_', '+/'), true);
        if ($bytes === false || self::encode($bytes) !== $text) {
            throw new InvalidToken('not canonical base64url');
        }

        return $bytes;
    }
}
