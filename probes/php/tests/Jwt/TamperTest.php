<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Jwt;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Base64Url;
use Sectax\Probe\Tests\Conversation;
use Sectax\Probe\Tests\Vectors;

/** Nobody benchmarks a no-op: what is timed says no to every token but the genuine one. */
final class TamperTest extends TestCase
{
    /** @dataProvider treatments */
    #[DataProvider('treatments')]
    public function testEveryOtherTokenIsRefused(string $algorithm, string $layer, string $use): void
    {
        $probe = new Conversation();
        $token = $probe->token($algorithm, $layer, $use);
        $tampered = [...self::flippedBytes($token), ...self::changedCharacters($token), ...self::malformed($token)];

        $bySigning = $probe->accepted([$token, ...$tampered, $token]);
        $probe->prepareVerify($algorithm, $layer, $use, $token);
        $byVerifying = $probe->accepted([$token, ...$tampered, $token]);

        $expected = [true, ...array_fill(0, count($tampered), false), true];
        self::assertSame($expected, $bySigning);
        self::assertSame($expected, $byVerifying);
    }

    /** @dataProvider treatments */
    #[DataProvider('treatments')]
    public function testATamperedTokenIsTimedAsNothingButFailures(string $algorithm, string $layer, string $use): void
    {
        $probe = new Conversation();
        $token = $probe->token($algorithm, $layer, $use);
        foreach ([0 => 0, 1 => 40, 2 => 20] as $part => $position) {
            $prepared = $probe->prepareVerify($algorithm, $layer, $use, self::flip($token, $part, $position));
            $together = $probe->ask('measure', count: 5, settle: 2);
            $oneByOne = $probe->ask('measure', count: 5, each: true);

            self::assertSame('ok', $prepared['status']);
            self::assertSame(5, $together['failures']);
            self::assertSame(5, $oneByOne['failures']);
        }
        $probe->prepareVerify($algorithm, $layer, $use, $token);

        self::assertSame(0, $probe->ask('measure', count: 5)['failures']);
    }

    /** @dataProvider treatments */
    #[DataProvider('treatments')]
    public function testAnotherKeyRefuses(string $algorithm, string $layer, string $use): void
    {
        $probe = new Conversation();
        $token = $probe->token($algorithm, $layer, $use);
        $prepared = $probe->prepareVerify($algorithm, $layer, $use, $token, self::otherKey($algorithm));

        self::assertSame('ok', $prepared['status']);
        self::assertSame([false], $probe->accepted([$token]));
        self::assertSame(4, $probe->ask('measure', count: 4)['failures']);
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function treatments(): iterable
    {
        return Vectors::treatments();
    }

    /** @return list<string> the token with one bit flipped in every byte of what its parts encode */
    private static function flippedBytes(string $token): array
    {
        $tampered = [];
        foreach (explode('.', $token) as $part => $text) {
            for ($position = 0; $position < strlen(Base64Url::decode($text)); ++$position) {
                $tampered[] = self::flip($token, $part, $position);
            }
        }

        return $tampered;
    }

    private static function flip(string $token, int $part, int $position): string
    {
        $parts = explode('.', $token);
        $bytes = Base64Url::decode($parts[$part]);
        $bytes[$position] = chr(ord($bytes[$position]) ^ (1 << $position % 8));
        $parts[$part] = Base64Url::encode($bytes);

        return implode('.', $parts);
    }

    /** @return list<string> every character changed into another of the alphabet, and the last into each other */
    private static function changedCharacters(string $token): array
    {
        $changed = [];
        for ($position = 0; $position < strlen($token); ++$position) {
            $changed[] = substr_replace($token, $token[$position] === 'A' ? 'B' : 'A', $position, 1);
        }
        foreach (str_split('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') as $last) {
            $changed[] = substr($token, 0, -1) . $last;
        }

        return array_diff($changed, [$token]);
    }

    /** @return list<string> */
    private static function malformed(string $token): array
    {
        [$header, $payload, $signature] = explode('.', $token);
        $bytes = Base64Url::decode($signature);

        return [
            '',
            '.',
            '..',
            '...',
            "$header.$payload",
            "$header.$payload.",
            "$token.",
            "$token.$signature",
            ".$token",
            "$header.$payload." . Base64Url::encode(substr($bytes, 0, -1)),
            "$header.$payload." . Base64Url::encode("$bytes\0"),
            "$token=",
            "$token\n",
            " $token",
            "$header=.$payload.$signature",
            $header . '.' . $payload . '.' . substr($signature, 0, 20) . "\n" . substr($signature, 20),
        ];
    }

    /** @return array<string, string> */
    private static function otherKey(string $algorithm): array
    {
        $pem = static fn (array $options): string => openssl_pkey_get_details(openssl_pkey_new($options))['key'];

        return match ($algorithm) {
            'HS256' => ['secret' => Base64Url::encode(random_bytes(64))],
            'RS256' => ['public_key_pem' => $pem(['private_key_bits' => 2048])],
            'ES256' => ['public_key_pem' => $pem([
                'private_key_type' => OPENSSL_KEYTYPE_EC,
                'curve_name' => 'prime256v1',
            ])],
            'EdDSA' => ['public_key_pem' => "-----BEGIN PUBLIC KEY-----\n"
                . base64_encode(hex2bin('302a300506032b6570032100')
                . sodium_crypto_sign_publickey(sodium_crypto_sign_keypair()))
                . "\n-----END PUBLIC KEY-----\n"],
        };
    }
}
