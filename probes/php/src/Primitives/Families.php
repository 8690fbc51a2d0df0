<?php

declare(strict_types=1);

namespace Sectax\Probe\Primitives;

use Sectax\Probe\Jwt\Base64Url;
use Sectax\Probe\Jwt\InvalidToken;
use Sectax\Probe\Operation\Subject;
use Sectax\Probe\Protocol\Inputs;
use Sectax\Probe\Protocol\Refusal;

/** The operations of the experiment primitives, by PHP's hash, sodium and openssl and its password functions. */
final class Families
{
    /** @return array<string, array<string, list<string>>> by operation, its parameter and the values of that */
    public static function parameters(): array
    {
        return array_map(static fn (array $names): array => ['algorithm' => $names], [
            'hash' => array_keys(Hashes::HASHES),
            'mac' => array_keys(Hashes::MACS),
            'aead-seal' => array_keys(Ciphers::CIPHERS),
            'aead-open' => array_keys(Ciphers::CIPHERS),
            'agree' => array_keys(Exchange::EXCHANGES),
            'password' => array_keys(Passwords::SCHEMES),
        ]);
    }

    /** @throws Refusal when the inputs do not fit */
    public static function prepare(string $operation, string $algorithm, Inputs $inputs): Subject
    {
        return match ($operation) {
            'hash' => Hashes::hash($algorithm, $inputs),
            'mac' => Hashes::mac($algorithm, $inputs),
            'aead-seal' => Ciphers::seal($algorithm, $inputs),
            'aead-open' => Ciphers::open($algorithm, $inputs),
            'agree' => Exchange::agree($algorithm, $inputs),
            'password' => Passwords::check($algorithm, $inputs),
        };
    }

    /** @throws Refusal when it is missing, or no base64url */
    public static function bytes(Inputs $inputs, string $name): string
    {
        try {
            return Base64Url::decode($inputs->text($name));
        } catch (InvalidToken) {
            throw Refusal::failed("input $name is not base64url without padding");
        }
    }

    /**
     * @return list<string> the artefact's parts, exactly so many
     *
     * @throws InvalidToken
     */
    public static function parts(string $artefact, int $count): array
    {
        $parts = explode('.', $artefact);
        if (count($parts) !== $count) {
            throw new InvalidToken('its parts');
        }

        return array_map(Base64Url::decode(...), $parts);
    }
}
