<?php

declare(strict_types=1);

namespace Sectax\Probe\Primitives;

use Closure;
use Sectax\Probe\Base64Url;
use Sectax\Probe\Inputs;
use Sectax\Probe\Kit\Operation;

use function hash;
use function hash_hmac;
use function sodium_crypto_generichash;

/** Hashes and MACs, in one call each; the key of a MAC is its bytes. */
final class Hashes
{
    /** What PHP's hash extension calls it; '' is BLAKE2b, which sodium has. */
    public const HASHES = ['sha-256' => 'sha256', 'sha-512' => 'sha512', 'sha3-256' => 'sha3-256', 'blake2b' => ''];
    public const MACS = ['hmac-sha-256' => 'sha256', 'hmac-sha-512' => 'sha512', 'blake2b-keyed' => ''];

    public static function hash(string $algorithm, Inputs $inputs): Operation
    {
        $data = $inputs->bytes('data');
        $name = self::HASHES[$algorithm];
        $run = $name === ''
            ? static fn (): string => sodium_crypto_generichash($data, '', 64)
            : static fn (): string => hash($name, $data, true);
        return self::ready($run, ['data_bytes' => strlen($data)], $name);
    }

    public static function mac(string $algorithm, Inputs $inputs): Operation
    {
        [$key, $data] = [$inputs->bytes('key'), $inputs->bytes('data')];
        $name = self::MACS[$algorithm];
        $run = $name === ''
            ? static fn (): string => sodium_crypto_generichash($data, $key, 32)
            : static fn (): string => hash_hmac($name, $data, $key, true);
        return self::ready($run, ['key_bits' => 8 * strlen($key), 'data_bytes' => strlen($data)], $name);
    }

    /**
     * @param Closure(): string  $run
     * @param array<string, int> $witnesses
     */
    private static function ready(Closure $run, array $witnesses, string $name): Operation
    {
        return new Operation(
            $run,
            $witnesses + ['implementation' => $name === '' ? 'sodium' : 'hash'],
            static fn (): string => Base64Url::encode($run()),
            static fn (string $shown): bool => hash_equals($run(), Base64Url::decode($shown)),
        );
    }
}
