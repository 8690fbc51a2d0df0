<?php

declare(strict_types=1);

namespace Sectax\Probe\Primitives;

use Sectax\Probe\Base64Url;
use Sectax\Probe\Inputs;
use Sectax\Probe\Kit\Operation;
use Sectax\Probe\Kit\Refusal;

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
    public static function ready(string $operation, array $parameters, Inputs $inputs): Operation
    {
        $algorithm = $parameters['algorithm'];
        return match ($operation) {
            'hash' => Hashes::hash($algorithm, $inputs),
            'mac' => Hashes::mac($algorithm, $inputs),
            'aead-seal' => Ciphers::seal($algorithm, $inputs),
            'aead-open' => Ciphers::open($algorithm, $inputs),
            'agree' => Exchange::agree($algorithm, $inputs),
            'password' => Passwords::check($algorithm, $inputs),
        };
    }

    /**
     * @return list<string> the artefact's parts, exactly so many
     *
     * @throws Refusal
     */
    public static function parts(string $artefact, int $count): array
    {
        $parts = explode('.', $artefact);
        if (count($parts) !== $count) {
            throw new Refusal('its parts');
        }
        return array_map(Base64Url::decode(...), $parts);
    }
}
