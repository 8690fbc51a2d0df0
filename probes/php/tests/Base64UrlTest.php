<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests;

use PHPUnit\Framework\TestCase;
use Sectax\Probe\Base64Url;
use Sectax\Probe\Kit\Refusal;

final class Base64UrlTest extends TestCase
{
    public function testTheExampleOfRfc7515AppendixC(): void
    {
        self::assertSame('A-z_4ME', Base64Url::encode("\x03\xec\xff\xe0\xc1"));
        self::assertSame("\x03\xec\xff\xe0\xc1", Base64Url::decode('A-z_4ME'));
        self::assertSame('', Base64Url::decode(Base64Url::encode('')));
    }

    public function testAnotherSpellingIsRefused(): void
    {
        // padding, the other alphabet, stray bits, blanks, a lone character, strangers
        $others = ['A-z_4ME=', 'A+z/4ME', 'A-z_4MF', 'A-z_ 4ME', "A-z_4ME\n", 'A-z_4', 'A-z_4M*', "A-z_4M\0"];
        foreach ($others as $text) {
            try {
                Base64Url::decode($text);
                self::fail($text);
            } catch (Refusal $refusal) {
                self::assertSame('failed', $refusal->status);
            }
        }
    }
}
