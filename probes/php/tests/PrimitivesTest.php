<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests;

use PHPUnit\Framework\TestCase;
use Sectax\Probe\Base64Url;

final class PrimitivesTest extends TestCase
{
    /** @param array<string, string> $inputs */
    private static function ready(string $operation, string $algorithm, array $inputs): Conversation
    {
        $probe = new Conversation();
        $reply = $probe->ask('prepare', operation: $operation, parameters: compact('algorithm'), inputs: $inputs);
        self::assertSame('ok', $reply['status'], "$operation $algorithm");

        return $probe;
    }

    /** FIPS 180-4 and 202, RFC 7693, and RFC 4231, test case 1. */
    public function testHashesAndMacsAreThoseOfTheStandards(): void
    {
        $key = str_repeat("\x0b", 20);
        foreach (
            [
                ['hash', 'sha-256', 'k', 'abc', 'ba7816bf8f01cfea'],
                ['hash', 'sha-512', 'k', 'abc', 'ddaf35a193617aba'],
                ['hash', 'sha3-256', 'k', 'abc', '3a985da74fe225b2'],
                ['hash', 'blake2b', 'k', 'abc', 'ba80a53f981c4d0d'],
                ['mac', 'hmac-sha-256', $key, 'Hi There', 'b0344c61d8db3853'],
                ['mac', 'hmac-sha-512', $key, 'Hi There', '87aa7cdea5ef619d'],
            ] as [$operation, $algorithm, $secret, $data, $start]
        ) {
            $inputs = ['key' => Base64Url::encode($secret), 'data' => Base64Url::encode($data)];
            $probe = self::ready($operation, $algorithm, $inputs);
            $made = $probe->artefact();

            self::assertStringStartsWith($start, bin2hex(Base64Url::decode($made)), $algorithm);
            self::assertSame([true, false], $probe->accepted([$made, substr($made, 4)]), $algorithm);
        }
    }

    public function testWhatIsSealedIsOpenedAndNotWithABitTurned(): void
    {
        foreach (['aes-256-gcm' => 32, 'aes-128-gcm' => 16, 'chacha20-poly1305' => 32] as $algorithm => $size) {
            $key = Base64Url::encode(random_bytes($size));
            $inputs = ['key' => $key, 'data' => Base64Url::encode(random_bytes(100))];
            $seal = self::ready('aead-seal', $algorithm, $inputs);
            [$first, $second] = [$seal->artefact(), $seal->artefact()];
            $open = self::ready('aead-open', $algorithm, ['key' => $key, 'sealed' => $first]);
            $wrong = [];
            for ($index = 0; $index < strlen(Base64Url::decode($first)); ++$index) {
                $sealed = Base64Url::decode($first);
                $sealed[$index] = $sealed[$index] ^ "\x01";
                $wrong[] = Base64Url::encode($sealed);
            }

            self::assertNotSame(substr($first, 0, 16), substr($second, 0, 16));
            self::assertSame($inputs['data'], $open->artefact());
            self::assertSame([true], $seal->accepted([$second]));
            self::assertSame([], array_filter($open->accepted($wrong)), $algorithm);
        }
    }

    public function testBothSidesAgree(): void
    {
        $options = ['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1'];
        $own = openssl_pkey_get_details(openssl_pkey_new($options))['ec'];
        [$d, $x, $y] = array_map(
            static fn (string $name): string => str_pad($own[$name], 32, "\0", STR_PAD_LEFT),
            ['d', 'x', 'y']
        );
        $publics = ['x25519' => sodium_crypto_scalarmult_base($d), 'p-256' => "\x04$x$y"];
        foreach ($publics as $algorithm => $public) {
            $inputs = ['private_key' => Base64Url::encode($d), 'public_key' => Base64Url::encode($public)];
            $probe = self::ready('agree', $algorithm, $inputs);
            $measured = $probe->ask('measure', count: 2);
            $wrong = ['', '.', 'AA.AA', 'a', Base64Url::encode(str_repeat('x', strlen($public))) . '.AA'];

            self::assertSame([0, 2 * 32], [$measured['failures'], $measured['bytes']]);
            self::assertSame([true, ...array_fill(0, 5, false)], $probe->accepted([$probe->artefact(), ...$wrong]));
        }
    }

    public function testAStoredPasswordIsAcceptedAndAnotherIsNot(): void
    {
        $nothing = str_repeat('A', 22) . '$' . str_repeat('A', 43);
        foreach (
            [
                'argon2id' => '$argon2id$v=19$m=64,t=1,p=1$' . $nothing,
                'scrypt' => '$scrypt$ln=14,r=8,p=1$' . str_repeat('A', 43) . '$' . str_repeat('A', 43),
                'bcrypt' => '$2b$04$' . str_repeat('A', 53),
                'pbkdf2-sha256' => '$pbkdf2-sha256$i=2$' . $nothing,
            ] as $algorithm => $like
        ) {
            $stored = self::ready('password', $algorithm, ['password' => 'right', 'stored' => $like])->artefact();
            $failures = [];
            foreach (['right', 'wrong'] as $password) {
                $probe = self::ready('password', $algorithm, ['password' => $password, 'stored' => $stored]);
                $failures[] = $probe->ask('measure', count: 1)['failures'];
            }

            self::assertSame([0, 1], $failures, $algorithm);
            self::assertNotSame($like, $stored);
            self::assertStringContainsString('$' . explode('$', $like)[2] . '$', $stored);
        }
    }

    public function testWhatDoesNotFitIsRefused(): void
    {
        foreach (
            [
                ['hash', 'sha-256', []],
                ['hash', 'sha-256', ['data' => 'A A']],
                ['aead-seal', 'aes-256-gcm', ['key' => 'AAAA', 'data' => 'AAAA']],
                ['password', 'scrypt', ['password' => 'p']],
            ] as [$operation, $algorithm, $inputs]
        ) {
            $request = ['operation' => $operation, 'parameters' => ['algorithm' => $algorithm], 'inputs' => $inputs];
            $reply = (new Conversation())->ask('prepare', ...$request);

            self::assertSame('failed', $reply['status']);
            self::assertStringContainsString('input', $reply['reason']);
        }
    }
}
