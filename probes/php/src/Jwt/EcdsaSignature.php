<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use function chr;
use function ltrim;
use function ord;
use function str_pad;
use function strlen;
use function substr;

/**
 * An ECDSA signature in its two forms: DER, SEQUENCE { r INTEGER, s INTEGER }, as OpenSSL has it, and r‖s of fixed
 * length, as JOSE wants it (RFC 7518, section 3.4). Both ways are strict: one signature has one spelling.
 */
final class EcdsaSignature
{
    /**
     * @param int $bytes how long a coordinate is
     *
     * @throws InvalidToken
     */
    public static function toDer(string $jose, int $bytes): string
    {
        if (strlen($jose) !== 2 * $bytes) {
            throw new InvalidToken('an ECDSA signature of the wrong length');
        }
        $body = self::writeInteger(substr($jose, 0, $bytes)) . self::writeInteger(substr($jose, $bytes));
        $length = strlen($body);

        return $length < 0x80 ? "\x30" . chr($length) . $body : "\x30\x81" . chr($length) . $body;
    }

    /**
     * @param int $bytes how long a coordinate is
     *
     * @throws InvalidToken
     */
    public static function toJose(string $der, int $bytes): string
    {
        $length = strlen($der);
        if ($length < 8 || $der[0] !== "\x30") {
            throw new InvalidToken('an ECDSA signature that is no DER sequence');
        }
        $start = $der[1] === "\x81" ? 3 : 2;
        $body = $length - $start;
        if (ord($der[$start - 1]) !== $body || $body > 0xff || ($start === 3) !== ($body >= 0x80)) {
            throw new InvalidToken('an ECDSA signature with a wrong length in its DER');
        }
        $position = $start;
        $r = self::readInteger($der, $position, $bytes);
        $s = self::readInteger($der, $position, $bytes);
        if ($position !== $length) {
            throw new InvalidToken('an ECDSA signature with something behind it');
        }

        return $r . $s;
    }

    private static function writeInteger(string $coordinate): string
    {
        $integer = ltrim($coordinate, "\0");
        if ($integer === '') {
            throw new InvalidToken('an ECDSA signature with a zero in it');
        }
        if (ord($integer[0]) >= 0x80) {
            $integer = "\0" . $integer;
        }

        return "\x02" . chr(strlen($integer)) . $integer;
    }

    private static function readInteger(string $der, int &$position, int $bytes): string
    {
        $begin = $position + 2;
        if ($begin >= strlen($der) || $der[$position] !== "\x02") {
            throw new InvalidToken('an ECDSA signature with no integer in its place');
        }
        $length = ord($der[$position + 1]);
        $position = $begin + $length;
        if ($length === 0 || $position > strlen($der)) {
            throw new InvalidToken('an ECDSA signature that is cut short');
        }
        if (ord($der[$begin]) >= 0x80) {
            throw new InvalidToken('an ECDSA signature with a negative integer');
        }
        if ($der[$begin] === "\0") {
            if ($length === 1 || ord($der[$begin + 1]) < 0x80) {
                throw new InvalidToken('an ECDSA signature with a zero in front, or zero');
            }
            ++$begin;
            --$length;
        }
        if ($length > $bytes) {
            throw new InvalidToken('an ECDSA signature with too long an integer');
        }

        return str_pad(substr($der, $begin, $length), $bytes, "\0", STR_PAD_LEFT);
    }
}
