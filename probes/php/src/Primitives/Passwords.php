<?php

declare(strict_types=1);

namespace Sectax\Probe\Primitives;

use Closure;
use Sectax\Probe\Inputs;
use Sectax\Probe\Kit\Operation;
use Sectax\Probe\Kit\Refusal;

use function hash_equals;
use function password_verify;

/** Checking a password against what was stored of it: password_verify, and bare functions for what that does not have. */
final class Passwords
{
    public const SCHEMES = [
        'argon2id' => 'password',
        'argon2id-rfc9106' => 'password',
        'bcrypt' => 'password',
        'scrypt' => 'sodium',
        'pbkdf2-sha256' => 'hash',
        'pbkdf2-sha512' => 'hash',
    ];
    private const BYTES = 32;

    public static function check(string $algorithm, Inputs $inputs): Operation
    {
        [$password, $stored] = [$inputs->text('password'), $inputs->text('stored')];
        return new Operation(
            self::checking($algorithm, $password, $stored),
            ['implementation' => self::SCHEMES[$algorithm]],
            static fn (): string => self::store($algorithm, $password, $stored),
            static fn (string $shown): bool => self::checking($algorithm, $password, $shown)() !== null,
        );
    }

    /**
     * @return Closure(): ?string
     *
     * @throws Refusal when it is no stored password
     */
    private static function checking(string $algorithm, string $password, string $stored): Closure
    {
        if (self::SCHEMES[$algorithm] === 'password') {
            return static fn (): ?string => password_verify($password, $stored) ? '' : null;
        }
        [$of, $salt, $wanted] = self::read($stored);
        return static fn (): ?string =>
            hash_equals($wanted, self::derive($algorithm, $password, $salt, $of)) ? '' : null;
    }

    /** What is kept of a password, with a fresh salt and the settings of another. */
    private static function store(string $algorithm, string $password, string $like): string
    {
        if (self::SCHEMES[$algorithm] === 'password') {
            // PHP reads the cost of $2y$ only; $2b$ is the same format. Its default cost is 10, and 12 from 8.4.
            $info = password_get_info(str_starts_with($like, '$2b$') ? '$2y$' . substr($like, 4) : $like);
            return password_hash($password, $info['algo'], $info['options']);
        }
        [$of, $salt] = self::read($like);
        $salt = random_bytes(strlen($salt));
        $made = self::derive($algorithm, $password, $salt, $of);
        [, $name, $settings] = explode('$', $like);
        return "\$$name\$$settings\$" . self::encode($salt) . '$' . self::encode($made);
    }

    /** @param array<string, int> $of the settings */
    private static function derive(string $algorithm, string $password, string $salt, array $of): string
    {
        if ($algorithm !== 'scrypt') {
            return hash_pbkdf2(substr($algorithm, strlen('pbkdf2-')), $password, $salt, $of['i'], self::BYTES, true);
        }
        // libsodium finds N and r of limits: p is 1, r is 8, and N the largest power of two within 32·N operations.
        $operations = 32 << $of['ln'];
        return sodium_crypto_pwhash_scryptsalsa208sha256(self::BYTES, $password, $salt, $operations, 64 * $operations);
    }

    /** @return array{array<string, int>, string, string} settings, salt and hash of $NAME$SETTINGS$SALT$HASH */
    private static function read(string $stored): array
    {
        $parts = explode('$', $stored);
        if (count($parts) !== 5) {
            throw new Refusal('no stored password');
        }
        $of = [];
        foreach (explode(',', $parts[2]) as $setting) {
            [$name, $value] = explode('=', $setting) + [1 => ''];
            $of[$name] = (int) $value;
        }
        return [$of, self::decode($parts[3]), self::decode($parts[4])];
    }

    private static function encode(string $data): string
    {
        return rtrim(base64_encode($data), '=');
    }

    private static function decode(string $text): string
    {
        $data = base64_decode($text, true);
        return $data !== false && self::encode($data) === $text ? $data : throw new Refusal('no Base64');
    }
}
