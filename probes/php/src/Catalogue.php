<?php

declare(strict_types=1);

namespace Sectax\Probe;

use Sectax\Probe\Jwt\Treatment;
use Sectax\Probe\Operation\Subject;
use Sectax\Probe\Primitives\Families;
use Sectax\Probe\Protocol\Inputs;
use Sectax\Probe\Protocol\Refusal;

/** The operations that can be asked for; a new one is a line in parameters() and one in prepare(). */
final class Catalogue
{
    /** @return array<string, array<string, list<string>>> by operation, the parameters that it takes and their values */
    private static function parameters(): array
    {
        return ['empty' => [], 'sign' => Treatment::parameters(), 'verify' => Treatment::parameters()]
            + Families::parameters();
    }

    /** @return list<array{name: string, parameters: object}> as `hello` lists them */
    public static function describe(): array
    {
        $operations = [];
        foreach (self::parameters() as $name => $parameters) {
            $operations[] = ['name' => $name, 'parameters' => (object) $parameters];
        }

        return $operations;
    }

    /**
     * Make one operation ready to be timed.
     *
     * @param array<array-key, mixed> $parameters as they came
     *
     * @throws Refusal when there is no such operation, it cannot be had here, or the inputs do not fit
     */
    public static function prepare(string $operation, array $parameters, Inputs $inputs): Subject
    {
        $all = self::parameters();
        $known = $all[$operation] ?? throw Refusal::failed(
            "unknown operation $operation; there are " . implode(', ', array_keys($all))
        );
        $checked = self::checked($operation, $known, $parameters);

        return match ($operation) {
            'empty' => new Subject(static fn (): string => ''),
            'sign' => (new Treatment($checked, $inputs))->sign(),
            'verify' => (new Treatment($checked, $inputs))->verify(),
            default => Families::prepare($operation, $checked['algorithm'], $inputs),
        };
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
                if ($name === 'algorithm' && is_string($given[$name])) { // others may have it
                    throw Refusal::skipped("not in PHP's openssl, sodium or hash");
                }
                throw Refusal::failed("parameter $name cannot be $value; it is one of " . implode(', ', $values));
            }
        }

        return $given;
    }
}
