<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Jwt;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Jwt\EcdsaSignature;
use Sectax\Probe\Kit\Refusal;

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

    public function testOpensslAgreesOverManySignatures(): void
    {
        foreach (['prime256v1' => 32, 'secp384r1' => 48, 'secp521r1' => 66] as $curve => $bytes) {
            $key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => $curve]);
            for ($i = 0; $i < 600; ++$i) { // one in 128 has a coordinate that is shorter than the field
                openssl_sign("message $i", $der, $key, OPENSSL_ALGO_SHA256);
                $jose = EcdsaSignature::toJose($der, $bytes);

                self::assertSame(2 * $bytes, strlen($jose));
                self::assertSame($der, EcdsaSignature::toDer($jose, $bytes));
            }
        }
    }

    public function testJoseOfTheWrongLengthOrWithAZeroIsRefused(): void
    {
        foreach (['', '111111', '1111111111', '00001111', '11110000'] as $hex) {
            try {
                EcdsaSignature::toDer(hex2bin($hex), 2);
                self::fail($hex);
            } catch (Refusal $refusal) {
                self::assertStringContainsString('ECDSA', $refusal->getMessage());
            }
        }
    }
}
