<?php

declare(strict_types=1);

namespace Sectax\Probe;

use Sectax\Probe\Kit\Refusal;

/** Base64url without padding (RFC 7515, section 2), in its one spelling: two of one signature would be two tokens. */
final class Base64Url
{
    public static function encode(string $bytes): string
    {
        return \rtrim(\strtr(\base64_encode($bytes), '+/', '-_'), '=');
    }

    public static function decode(string $text): string
    {
        $bytes = \base64_decode(\strtr($text, '-_', '+/'), true); // lets blanks and stray bits pass even when strict
        if ($bytes === false || self::encode($bytes) !== $text) {
            throw new Refusal('not canonical base64url');
        }
        return $bytes;
    }
}
