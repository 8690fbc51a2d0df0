<?php

declare(strict_types=1);

namespace Sectax\Probe;

use Sectax\Probe\Jwt\SignKind;
use Sectax\Probe\Jwt\VerifyKind;
use Sectax\Probe\Operation\EmptyKind;
use Sectax\Probe\Operation\Kind;
use Sectax\Probe\Operation\Subject;
use Sectax\Probe\Protocol\Inputs;
use Sectax\Probe\Protocol\Refusal;

/** The operations that can be asked for; a new one is a line in builtIn(). */
final class Catalogue
{
    /** @param array<string, Kind> $kinds */
    public function __construct(private readonly array $kinds)
    {
    }

    public static function builtIn(): self
    {
        return new self([
            'empty' => new EmptyKind(),
            'sign' => new SignKind(),
            'verify' => new VerifyKind(),
        ]);
    }

    /** @return list<array{name: string, parameters: object}> as `hello` lists them */
    public function describe(): array
    {
        $operations = [];
        foreach ($this->kinds as $name => $kind) {
            $operations[] = ['name' => $name, 'parameters' => (object) $kind->parameters()];
        }

        return $operations;
    }

    /**
     * @param array<array-key, mixed> $parameters as they came
     *
     * @throws Refusal
     */
    public function prepare(string $operation, array $parameters, Inputs $inputs): Subject
    {
        $kind = $this->kinds[$operation] ?? throw Refusal::failed(
            "unknown operation $operation; there are " . implode(', ', array_keys($this->kinds))
        );

        return $kind->prepare(self::checked($operation, $kind->parameters(), $parameters), $inputs);
    }

    /**
     * @param array<string, list<string>> $known
     * @param array<array-key, mixed>     $given
     *
     * @return array<string, string>
     */
    private static function checked(string $operation, array $known, array $given): array
    {
        foreach (array_keys($given) as $name) {
            if (!isset($known[$name])) {
                $names = $known === [] ? 'none' : implode(', ', array_keys($known));
                throw Refusal::failed("unknown parameter $name; $operation takes $names");
            }
        }
        foreach ($known as $name => $values) {
            if (!isset($given[$name])) {
                throw Refusal::failed("parameter $name is missing; it is one of " . implode(', ', $values));
            }
            if (!in_array($given[$name], $values, true)) {
                $value = json_encode($given[$name], JSON_UNESCAPED_SLASHES);
                throw Refusal::failed("parameter $name cannot be $value; it is one of " . implode(', ', $values));
            }
        }

        return $given;
    }
}
