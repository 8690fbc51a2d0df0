<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Protocol\Inputs;

/** The levels of jwt that were asked for: algorithm, key use and layer. */
final class Treatment
{
    private function __construct(
        public readonly Algorithm $algorithm,
        public readonly KeyUse $use,
        public readonly Layer $layer,
    ) {
    }

    /** @return array<string, list<string>> the parameters of `sign` and of `verify` */
    public static function parameters(): array
    {
        return [
            'algorithm' => Algorithm::names(),
            'layer' => array_column(Layer::cases(), 'value'),
            'key_use' => array_column(KeyUse::cases(), 'value'),
        ];
    }

    /** @param array<string, string> $parameters checked against parameters() */
    public static function of(array $parameters): self
    {
        return new self(
            Algorithm::named($parameters['algorithm']),
            KeyUse::from($parameters['key_use']),
            Layer::from($parameters['layer']),
        );
    }

    public function keys(Inputs $inputs): Keys
    {
        return new Keys($this->algorithm, $this->use, $inputs);
    }

    /**
     * @param array<string, string|int> $witnesses of a key
     *
     * @return array<string, string|int>
     */
    public function label(array $witnesses): array
    {
        if ($this->layer === Layer::Library) {
            $witnesses['implementation'] = 'thin JWS over ' . $witnesses['implementation'];
        }

        return $witnesses;
    }
}
