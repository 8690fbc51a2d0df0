<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests;

/** The published examples: keys and tokens of RFC 7515 and RFC 8037. Their private keys protect nothing. */
final class Vectors
{
    /** @return array{source: string, algorithm: string, inputs: array<string, string>, token: string} */
    public static function of(string $algorithm): array
    {
        return json_decode(
            file_get_contents(__DIR__ . "/vectors/$algorithm.json"),
            true,
            flags: JSON_THROW_ON_ERROR
        );
    }

    /** @return list<string> */
    public static function algorithms(): array
    {
        return ['HS256', 'RS256', 'ES256', 'EdDSA'];
    }

    /** @return iterable<string, array{string, string, string}> algorithm, layer, key use: all that there are */
    public static function treatments(): iterable
    {
        foreach (self::algorithms() as $algorithm) {
            foreach (['primitive', 'library'] as $layer) {
                foreach (['parsed-once', 'parsed-per-call'] as $use) {
                    if ($algorithm !== 'HS256' || $use === 'parsed-once') {
                        yield "$algorithm $layer $use" => [$algorithm, $layer, $use];
                    }
                }
            }
        }
    }
}
