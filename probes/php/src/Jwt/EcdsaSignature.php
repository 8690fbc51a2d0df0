<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Kit\Refusal;

/** DER, SEQUENCE { r INTEGER, s INTEGER }, as OpenSSL has it, and r‖s, $bytes each, as in RFC 7518, section 3.4. */
final class EcdsaSignature
{
    public static function toDer(string $jose, int $bytes): string
    {
        if (\strlen($jose) !== 2 * $bytes) {
            throw new Refusal('an ECDSA signature of the wrong length');
        }
        $body = self::writeInteger(\substr($jose, 0, $bytes)) . self::writeInteger(\substr($jose, $bytes));
        $length = \strlen($body);
        return $length < 0x80 ? "\x30" . \chr($length) . $body : "\x30\x81" . \chr($length) . $body;
    }

    /** Of what openssl_sign() made, so that nothing is checked. */
    public static function toJose(string $der, int $bytes): string
    {
        $position = $der[1] === "\x81" ? 3 : 2;
        return self::readInteger($der, $position, $bytes) . self::readInteger($der, $position, $bytes);
    }

    private static function writeInteger(string $coordinate): string
    {
        $integer = \ltrim($coordinate, "\0");
        if ($integer === '') {
            throw new Refusal('an ECDSA signature with a zero in it');
        }
        if (\ord($integer[0]) >= 0x80) {
            $integer = "\0" . $integer;
        }
        return "\x02" . \chr(\strlen($integer)) . $integer;
    }

    private static function readInteger(string $der, int &$position, int $bytes): string
    {
        $length = \ord($der[$position + 1]);
        $integer = \ltrim(\substr($der, $position + 2, $length), "\0");
        $position += 2 + $length;
        return \str_pad($integer, $bytes, "\0", STR_PAD_LEFT);
    }
}
