<?php

declare(strict_types=1);

namespace Sectax\Probe\Primitives;

use Sectax\Probe\Jwt\Base64Url;
use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Protocol\Inputs;

use function hash;
use function hash_hmac;
use function sodium_crypto_generichash;

/** Hashes and MACs, in one call each; the key of a MAC is its bytes. */
final class Hashes
{
    /** What PHP's hash extension calls it; '' is BLAKE2b, which sodium has. */
    public const HASHES = ['sha-256' => 'sha256', 'sha-512' => 'sha512', 'sha3-256' => 'sha3-256', 'blake2b' => ''];
    public const MACS = ['hmac-sha-256' => 'sha256', 'hmac-sha-512' => 'sha512', 'blake2b-keyed' => ''];

    public static function hash(string $algorithm, Inputs $inputs): Primitive
    {
        $data = Families::bytes($inputs, 'data');
        $name = self::HASHES[$algorithm];
        $operation = $name === '' ? self::blake2b($data, '', 64) : new class ($name, $data) implements Operation {
            public function __construct(private readonly string $name, private readonly string $data)
            {
            }

            public function run(): ?string
            {
                return hash($this->name, $this->data, true);
            }
        };

        return self::ready($operation, ['data_bytes' => strlen($data)], $name);
    }

    public static function mac(string $algorithm, Inputs $inputs): Primitive
    {
        [$key, $data] = [Families::bytes($inputs, 'key'), Families::bytes($inputs, 'data')];
        $name = self::MACS[$algorithm];
        $operation = $name === '' ? self::blake2b($data, $key, 32) : self::hmac($name, $key, $data);

        return self::ready($operation, ['key_bits' => 8 * strlen($key), 'data_bytes' => strlen($data)], $name);
    }

    private static function hmac(string $name, string $key, string $data): Operation
    {
        return new class ($name, $key, $data) implements Operation {
            public function __construct(
                private readonly string $name,
                private readonly string $key,
                private readonly string $data,
            ) {
            }

            public function run(): ?string
            {
                return hash_hmac($this->name, $this->data, $this->key, true);
            }
        };
    }

    private static function blake2b(string $data, string $key, int $size): Operation
    {
        return new class ($data, $key, $size) implements Operation {
            public function __construct(
                private readonly string $data,
                private readonly string $key,
                private readonly int $size,
            ) {
            }

            public function run(): ?string
            {
                return sodium_crypto_generichash($this->data, $this->key, $this->size);
            }
        };
    }

    /** @param array<string, int> $witnesses */
    private static function ready(Operation $operation, array $witnesses, string $name): Primitive
    {
        $makes = static fn (): string => (string) $operation->run();

        return new Primitive(
            $operation,
            $witnesses + ['implementation' => $name === '' ? 'sodium' : 'hash'],
            static fn (): string => Base64Url::encode($makes()),
            static fn (string $shown): bool => hash_equals($makes(), Base64Url::decode($shown)),
        );
    }
}
