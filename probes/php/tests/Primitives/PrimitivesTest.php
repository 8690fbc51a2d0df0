<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Primitives;

use PHPUnit\Framework\TestCase;
use Sectax\Probe\Jwt\Base64Url;
use Sectax\Probe\Operation\Subject;
use Sectax\Probe\Primitives\Families;
use Sectax\Probe\Protocol\Inputs;
use Sectax\Probe\Protocol\Refusal;

final class PrimitivesTest extends TestCase
{
    /** @param array<string, string> $inputs */
    private static function ready(string $operation, string $algorithm, array $inputs): Subject
    {
        return Families::prepare($operation, $algorithm, new Inputs($inputs));
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
            $subject = self::ready($operation, $algorithm, $inputs);
            $made = ($subject->run)();

            self::assertStringStartsWith($start, bin2hex($made), $algorithm);
            self::assertSame(Base64Url::encode($made), $subject->artefact());
            self::assertTrue($subject->accepts(Base64Url::encode($made)));
            self::assertFalse($subject->accepts(Base64Url::encode(substr($made, 1))));
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

            self::assertNotSame(substr($first, 0, 16), substr($second, 0, 16));
            self::assertSame($inputs['data'], $open->artefact());
            self::assertTrue($seal->accepts($second));
            $sealed = Base64Url::decode($first);
            for ($index = 0; $index < strlen($sealed); ++$index) {
                $wrong = $sealed;
                $wrong[$index] = $wrong[$index] ^ "\x01";
                self::assertFalse($open->accepts(Base64Url::encode($wrong)), "$algorithm, byte $index");
            }
        }
    }

    public function testBothSidesAgree(): void
    {
        foreach (['x25519' => 32, 'p-256' => 65] as $algorithm => $size) {
            $private = "\x01" . random_bytes(31);
            $inputs = ['private_key' => Base64Url::encode($private), 'public_key' => Base64Url::encode('none')];
            $subject = self::ready('agree', $algorithm, $inputs);

            self::assertSame(32, strlen((string) ($subject->run)()));
            foreach (['', '.', 'AA.AA', 'a', Base64Url::encode(str_repeat('x', $size)) . '.AA'] as $wrong) {
                self::assertFalse($subject->accepts($wrong), $algorithm);
            }
        }
    }

    public function testAStoredPasswordIsAcceptedAndAnotherIsNot(): void
    {
        $nothing = str_repeat('A', 22) . '$' . str_repeat('A', 43);
        foreach (
            [
                'argon2id' => '$argon2id$v=19$m=64,t=1,p=1$' . $nothing,
                'scrypt' => '$scrypt$ln=14,r=8,p=1$' . str_repeat('A', 43) . '$' . str_repeat('A', 43),
                'bcrypt' => '$2y$04$' . str_repeat('A', 53),
                'pbkdf2-sha256' => '$pbkdf2-sha256$i=2$' . $nothing,
            ] as $algorithm => $like
        ) {
            $stored = self::ready('password', $algorithm, ['password' => 'correct', 'stored' => $like])->artefact();
            [$right, $wrong] = array_map(
                static fn (string $password): ?string => (self::ready(
                    'password',
                    $algorithm,
                    ['password' => $password, 'stored' => $stored]
                )->run)(),
                ['correct', 'horse']
            );

            self::assertSame(['', null], [$right, $wrong], $algorithm);
            self::assertNotSame($like, $stored);
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
            try {
                self::ready($operation, $algorithm, $inputs);
                self::fail("$operation $algorithm");
            } catch (Refusal $refusal) {
                self::assertStringContainsString('input', $refusal->getMessage());
            }
        }
    }
}
