<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Jwt;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Jwt\EcdsaSignature;
use Sectax\Probe\Jwt\InvalidToken;

final class EcdsaSignatureTest extends TestCase
{
    /** @dataProvider pairs */
    #[DataProvider('pairs')]
    public function testBothFormsTurnIntoEachOther(string $der, string $jose): void
    {
        $bytes = strlen($jose) / 4; // hex digits, two coordinates

        self::assertSame($der, bin2hex(EcdsaSignature::toDer(hex2bin($jose), $bytes)));
        self::assertSame($jose, bin2hex(EcdsaSignature::toJose(hex2bin($der), $bytes)));
    }

    /** @return array<string, array{string, string}> DER and r‖s, as hex */
    public static function pairs(): array
    {
        $low = str_repeat('11', 32);
        $high = str_repeat('ee', 32);
        $short = str_repeat('00', 31) . '7f';
        $shortHigh = str_repeat('00', 31) . '80';

        return [
            'full length' => ["30440220{$low}0220{$low}", $low . $low],
            'a high bit needs a zero in front' => ["3046022100{$high}022100{$high}", $high . $high],
            'zeros in front are dropped' => ["302502017f0220{$low}", $short . $low],
            'or kept where the high bit needs one' => ["302602020080" . "0220{$low}", $shortHigh . $low],
            'a sequence over 127 bytes (P-521)' => [
                '308188' . '0242' . str_repeat('01', 66) . '0242' . str_repeat('02', 66),
                str_repeat('01', 66) . str_repeat('02', 66),
            ],
        ];
    }

    /** @dataProvider curves */
    #[DataProvider('curves')]
    public function testOpensslAgreesOverManySignatures(string $curve, int $bytes): void
    {
        $key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => $curve]);
        $public = openssl_pkey_get_public(openssl_pkey_get_details($key)['key']);
        for ($i = 0; $i < 600; ++$i) { // one in 128 has a coordinate that is shorter than the field
            openssl_sign("message $i", $der, $key, OPENSSL_ALGO_SHA256);
            $jose = EcdsaSignature::toJose($der, $bytes);

            self::assertSame(2 * $bytes, strlen($jose));
            self::assertSame($der, EcdsaSignature::toDer($jose, $bytes));
        }
        self::assertSame(1, openssl_verify('message 599', $der, $public, OPENSSL_ALGO_SHA256));
    }

    /** @return array<string, array{string, int}> */
    public static function curves(): array
    {
        return ['P-256' => ['prime256v1', 32], 'P-384' => ['secp384r1', 48], 'P-521' => ['secp521r1', 66]];
    }

    /** @dataProvider badDer */
    #[DataProvider('badDer')]
    public function testDerThatIsNotStrictIsRefused(string $hex): void
    {
        $this->expectException(InvalidToken::class);
        EcdsaSignature::toJose(hex2bin($hex), 2);
    }

    /** @return array<string, array{string}> signatures with coordinates of two bytes */
    public static function badDer(): array
    {
        return [
            'nothing' => [''],
            'a byte' => ['30'],
            'no sequence' => ['3108' . '02021111' . '02021111'],
            'too short a length' => ['3007' . '02021111' . '02021111'],
            'too long a length' => ['3009' . '02021111' . '02021111'],
            'a long form that is not needed' => ['308108' . '02021111' . '02021111'],
            'one integer' => ['3006' . '020411111111'],
            'no integer' => ['3008' . '03021111' . '02021111'],
            'an integer without content' => ['3008' . '0200' . '0204' . '11111111'],
            'an integer that runs over the end' => ['3008' . '02021111' . '02031111'],
            'a negative integer' => ['3008' . '02028111' . '02021111'],
            'a zero in front' => ['3009' . '0203001111' . '02021111'],
            'zero' => ['3007' . '020100' . '02021111'],
            'too long an integer' => ['3009' . '0203111111' . '02021111'],
            'something behind it' => ['300a' . '02021111' . '02021111' . '0500'],
        ];
    }

    public function testDerThatIsCutAnywhereIsRefused(): void
    {
        $der = hex2bin('3046022100' . str_repeat('ee', 32) . '022100' . str_repeat('ee', 32));
        $refused = 0;
        for ($length = 0; $length < strlen($der); ++$length) {
            try {
                EcdsaSignature::toJose(substr($der, 0, $length), 32);
            } catch (InvalidToken) {
                ++$refused;
            }
        }

        self::assertSame(strlen($der), $refused);
    }

    /** @dataProvider badJose */
    #[DataProvider('badJose')]
    public function testJoseOfTheWrongLengthOrWithAZeroIsRefused(string $hex): void
    {
        $this->expectException(InvalidToken::class);
        EcdsaSignature::toDer(hex2bin($hex), 2);
    }

    /** @return array<string, array{string}> */
    public static function badJose(): array
    {
        return [
            'nothing' => [''],
            'too short' => ['111111'],
            'too long' => ['1111111111'],
            'r is zero' => ['00001111'],
            's is zero' => ['11110000'],
        ];
    }
}
