<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Jwt;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Jwt\Base64Url;
use Sectax\Probe\Jwt\InvalidToken;

final class Base64UrlTest extends TestCase
{
    public function testTheExampleOfRfc7515AppendixC(): void
    {
        self::assertSame('A-z_4ME', Base64Url::encode("\x03\xec\xff\xe0\xc1"));
        self::assertSame("\x03\xec\xff\xe0\xc1", Base64Url::decode('A-z_4ME'));
    }

    public function testWhatIsEncodedDecodesToItself(): void
    {
        for ($length = 0; $length < 70; ++$length) {
            $bytes = $length > 0 ? random_bytes($length) : '';
            self::assertSame($bytes, Base64Url::decode(Base64Url::encode($bytes)));
        }
    }

    /** @dataProvider otherSpellings */
    #[DataProvider('otherSpellings')]
    public function testAnotherSpellingIsRefused(string $text): void
    {
        $this->expectException(InvalidToken::class);
        Base64Url::decode($text);
    }

    /** @return array<string, array{string}> */
    public static function otherSpellings(): array
    {
        return [
            'padding' => ['A-z_4ME='],
            'the other alphabet' => ['A+z/4ME'],
            'trailing bits' => ['A-z_4MF'],
            'a blank' => ['A-z_ 4ME'],
            'a line break at the end' => ["A-z_4ME\n"],
            'a lone character' => ['A-z_4'],
            'a stranger' => ['A-z_4M*'],
            'a zero byte' => ["A-z_4M\0"],
        ];
    }
}
