<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Jwt;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Jwt\Ed25519Pem;
use Sectax\Probe\Protocol\Refusal;
use Sectax\Probe\Tests\Vectors;

final class Ed25519PemTest extends TestCase
{
    public function testTheKeysOfRfc8037AreFound(): void
    {
        $inputs = Vectors::of('EdDSA')['inputs'];

        self::assertSame(
            '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
            bin2hex(Ed25519Pem::seed($inputs['private_key_pem']))
        );
        self::assertSame(
            'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
            bin2hex(Ed25519Pem::publicKey($inputs['public_key_pem']))
        );
    }

    /** @dataProvider others */
    #[DataProvider('others')]
    public function testAnythingElseIsRefused(string $pem): void
    {
        $this->expectException(Refusal::class);
        Ed25519Pem::seed($pem);
    }

    /** @return array<string, array{string}> */
    public static function others(): array
    {
        $pem = Vectors::of('EdDSA')['inputs']['private_key_pem'];

        return [
            'nothing' => [''],
            'no PEM' => ['file:///etc/passwd'],
            'a public key' => [Vectors::of('EdDSA')['inputs']['public_key_pem']],
            'an RSA key' => [Vectors::of('RS256')['inputs']['private_key_pem']],
            'cut short' => [substr($pem, 0, 60)],
            'X25519, one number away' => [str_replace('K2VwBCIE', 'K2VuBCIE', $pem)],
            'something behind it' => [$pem . 'x'],
        ];
    }
}
