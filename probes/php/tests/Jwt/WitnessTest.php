<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Jwt;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Tests\Conversation;
use Sectax\Probe\Tests\Vectors;

/** What is witnessed is read from the key, and a key that is not the algorithm's is refused. */
final class WitnessTest extends TestCase
{
    /** @dataProvider treatments */
    #[DataProvider('treatments')]
    public function testTheKeySaysWhatItIsAndInWhichForm(string $algorithm, string $layer, string $use): void
    {
        $probe = new Conversation();
        $signing = $probe->prepareSign($algorithm, $layer, $use)['witnesses'];
        $verifying = $probe->prepareVerify($algorithm, $layer, $use, Vectors::of($algorithm)['token'])['witnesses'];

        $work = ['HS256' => 'hash', 'RS256' => 'openssl', 'ES256' => 'openssl', 'EdDSA' => 'sodium'][$algorithm];
        $expected = [
            'HS256' => ['key_type' => 'oct', 'key_bits' => 512],
            'RS256' => ['key_type' => 'RSA', 'key_bits' => 2048],
            'ES256' => ['key_type' => 'EC', 'key_bits' => 256, 'curve' => 'P-256'],
            'EdDSA' => ['key_type' => 'OKP', 'key_bits' => 256, 'curve' => 'Ed25519'],
        ][$algorithm] + ['implementation' => $layer === 'library' ? "thin JWS over $work" : $work];
        foreach ([$signing, $verifying] as $witnesses) {
            $encoded = preg_match('/PEM|base64/', $witnesses['key_format']) === 1;
            self::assertSame($use === 'parsed-per-call', $encoded, $witnesses['key_format']);
            unset($witnesses['key_format']);
            ksort($witnesses);
            ksort($expected);
            self::assertSame($expected, $witnesses);
        }
    }

    public function testParsingPerCallIsPaidFor(): void
    {
        $token = Vectors::of('RS256')['token'];
        $nanoseconds = [];
        foreach (['parsed-once', 'parsed-per-call'] as $use) {
            $probe = new Conversation();
            $probe->prepareVerify('RS256', 'primitive', $use, $token);
            $nanoseconds[] = min($probe->ask('measure', count: 100, settle: 20, each: true)['elapsed_ns']);
        }

        self::assertGreaterThan($nanoseconds[0], $nanoseconds[1]); // 2 to 15 times, as OpenSSL's version is
    }

    public function testThePublicKeyOfTheInputsIsTheCounterpart(): void
    {
        $probe = new Conversation();
        $token = $probe->token('RS256');
        $other = openssl_pkey_get_details(openssl_pkey_new(['private_key_bits' => 2048]))['key'];
        $probe->prepareSign('RS256', 'primitive', 'parsed-once', ['public_key_pem' => $other]);

        self::assertSame([false], $probe->accepted([$token]));
    }

    /** @dataProvider asymmetric */
    #[DataProvider('asymmetric')]
    public function testWithoutAPublicKeyTheCounterpartIsThatOfThePrivateKey(string $algorithm): void
    {
        $probe = new Conversation();
        $token = $probe->token($algorithm);
        $private = Vectors::of($algorithm)['inputs']['private_key_pem'];
        $probe->ask(
            'prepare',
            operation: 'sign',
            parameters: ['algorithm' => $algorithm, 'layer' => 'library', 'key_use' => 'parsed-once'],
            inputs: ['private_key_pem' => $private, 'claims' => '{}'],
        );

        self::assertSame([true], $probe->accepted([$token]));
    }

    /** @return list<array{string}> */
    public static function asymmetric(): array
    {
        return [['RS256'], ['ES256'], ['EdDSA']];
    }

    /** @dataProvider wrongKeys */
    #[DataProvider('wrongKeys')]
    public function testAKeyForSomethingElseIsRefused(string $algorithm, array $inputs, string $why): void
    {
        $probe = new Conversation();
        $signing = $probe->prepareSign($algorithm, 'primitive', 'parsed-once', $inputs);

        self::assertSame('failed', $signing['status']);
        self::assertStringContainsString($why, $signing['reason']);
    }

    /** @return array<string, array{string, array<string, string>, string}> */
    public static function wrongKeys(): array
    {
        $pem = static function (array $options): string {
            openssl_pkey_export(openssl_pkey_new($options), $text);

            return $text;
        };
        $ed25519 = Vectors::of('EdDSA')['inputs']['private_key_pem'];
        $p384 = $pem(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'secp384r1']);

        return [
            'EC for RS256' => ['RS256', Vectors::of('ES256')['inputs'], 'this one is EC P-256'],
            'RSA for ES256' => ['ES256', Vectors::of('RS256')['inputs'], 'this one is RSA'],
            'P-384 for ES256' => ['ES256', ['private_key_pem' => $p384], 'this one is EC P-384'],
            'Ed25519 for RS256' => ['RS256', Vectors::of('EdDSA')['inputs'], 'this one is other'],
            'EC for EdDSA' => ['EdDSA', Vectors::of('ES256')['inputs'], 'not an Ed25519 key'],
            'X25519 for EdDSA' => [
                'EdDSA',
                ['private_key_pem' => str_replace('K2VwBCIE', 'K2VuBCIE', $ed25519)],
                'not an Ed25519 key',
            ],
            'a public key' => [
                'EdDSA',
                ['private_key_pem' => Vectors::of('EdDSA')['inputs']['public_key_pem']],
                'not an Ed25519 key',
            ],
            'something behind it' => ['EdDSA', ['private_key_pem' => $ed25519 . 'x'], 'not an Ed25519 key'],
            'a file' => ['RS256', ['private_key_pem' => 'file://' . __FILE__], 'not a PKCS#8 PEM'],
            'a cut PEM' => ['RS256', ['private_key_pem' => "-----BEGIN PRIVATE KEY-----\nMIIE"], 'not a PKCS#8 PEM'],
            'no secret' => ['HS256', ['secret' => ''], 'secret'],
            'a padded secret' => ['HS256', ['secret' => 'AAA='], 'base64url'],
            'claims that are no object' => ['HS256', ['signing_input' => 'x'], 'signing_input'],
        ];
    }

    public function testASecretHasNothingToParse(): void
    {
        $reply = (new Conversation())->prepareSign('HS256', 'primitive', 'parsed-per-call');

        self::assertSame('skipped', $reply['status']);
        self::assertStringContainsString('no key to parse', $reply['reason']);
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function treatments(): iterable
    {
        return Vectors::treatments();
    }
}
