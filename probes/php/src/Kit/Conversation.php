<?php

declare(strict_types=1);

namespace Sectax\Probe\Kit;

use Throwable;

/** The conversation of probes/PROTOCOL.md: one request a line in, one reply a line out. A probe says what it has. */
abstract class Conversation
{
    private const LONGEST_LINE = 16 * 1024 * 1024;
    private const MOST_ONE_BY_ONE = 1_000_000; // timings of a dozen digits fit into a line
    /** The members of each request: their type, what they are where they are left out, and the least of a number. */
    private const MEMBERS = [
        'hello' => ['protocol' => ['an integer', null, 1]],
        'prepare' => ['operation' => ['a text'], 'parameters' => ['an object', []], 'inputs' => ['an object', []]],
        'witness' => ['present' => ['a list of texts', []]],
        'measure' => ['count' => ['an integer', null, 1], 'settle' => ['an integer', 0, 0]]
            + ['each' => ['true or false', false]],
        'stop' => [],
    ];
    /** Why an algorithm that others may have is skipped. */
    protected const LACKS = '';
    private ?Operation $live = null;
    private bool $stopped = false;

    /** @return list<array{name: string, version: string}> */
    abstract protected function libraries(): array;

    /** @return array<string, array<string, list<string>>> by operation, its parameters and the values of each */
    abstract protected function operations(): array;

    /** Make an operation ready. Parameters are all there, with one of these values each. */
    abstract protected function ready(string $operation, array $parameters, array $inputs): Operation;

    /** Answer until `stop` or the end of the input. */
    public function serve($input, $output): void
    {
        while (!$this->stopped && ($line = fgets($input, self::LONGEST_LINE + 2)) !== false) {
            $whole = str_ends_with($line, "\n") || strlen($line) <= self::LONGEST_LINE; // the last may lack its break
            for ($rest = $line; !$whole && $rest !== false && !str_ends_with($rest, "\n"); $rest = fgets($input, 8192));
            fwrite($output, $this->answer($whole ? $line : null) . "\n");
            fflush($output);
        }
    }

    /** Answer one line; null is one that was too long. */
    public function answer(?string $line): string
    {
        $seq = null;
        try {
            $request = json_decode($line ?? throw new Refusal('the line is longer than 16 MiB'), true, 64);
            if (!is_array($request) || !str_starts_with(ltrim($line), '{')) {
                throw new Refusal('the request is not JSON, or not a JSON object');
            }
            $seq = self::member($request, 'seq', ['an integer']);
            $command = self::member($request, 'command', ['a text']);
            $members = self::MEMBERS[$command] ?? self::refuse("unknown command $command; there are", self::MEMBERS);
            // Whatever comes of a `prepare`, the operation before it must not be measured for it.
            $this->live = $command === 'prepare' ? null : $this->live;
            foreach ($members as $name => $rule) {
                $members[$name] = self::member($request, $name, $rule);
            }
            if ($this->live === null && ($command === 'witness' || $command === 'measure')) {
                throw new Refusal('nothing is prepared');
            }
            $this->stopped = $command === 'stop';
            $reply = ['status' => 'ok'] + ($this->stopped ? [] : $this->$command(...$members));
        } catch (Refusal $refusal) {
            $reply = ['status' => $refusal->status, 'reason' => $refusal->getMessage()];
            $reply += $refusal->hint === null ? [] : ['hint' => $refusal->hint];
        } catch (Throwable $error) {
            $reply = ['status' => 'failed', 'reason' => $error::class . ': ' . $error->getMessage()];
        }
        return json_encode(['seq' => $seq] + $reply, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE);
    }

    private static function member(array $request, string $name, array $rule): mixed
    {
        [$type, $otherwise, $least] = $rule + [1 => null, 2 => PHP_INT_MIN];
        $value = $request[$name] ?? $otherwise;
        $fits = match ($type) {
            'a text' => is_string($value),
            'true or false' => is_bool($value),
            'an integer' => is_int($value) && $value >= $least,
            'an object' => is_array($value),
            'a list of texts' => is_array($value) && array_values(array_filter($value, is_string(...))) === $value,
        };
        $type .= $least === PHP_INT_MIN ? '' : " of at least $least";
        return $fits ? $value : throw new Refusal("$name must be $type");
    }

    private static function refuse(string $reason, array $known): never
    {
        throw new Refusal("$reason " . (implode(', ', array_keys($known)) ?: 'none'));
    }

    private function hello(int $protocol): array
    {
        if ($protocol !== 1) {
            throw new Refusal("this probe speaks protocol 1, not $protocol");
        }
        $reply = ['protocol' => 1, 'probe' => ['name' => 'php', 'version' => '1']];
        $reply += ['runtime' => ['name' => 'PHP', 'version' => PHP_VERSION], 'libraries' => $this->libraries()];
        foreach (['empty' => []] + $this->operations() as $name => $parameters) {
            $reply['operations'][] = ['name' => $name, 'parameters' => (object) $parameters];
        }
        return $reply + Timing::clocks();
    }

    private function prepare(string $operation, array $parameters, array $inputs): array
    {
        $all = ['empty' => []] + $this->operations();
        $known = $all[$operation] ?? self::refuse("unknown operation $operation; there are", $all);
        foreach (array_keys($parameters + $known) as $name) {
            $values = $known[$name] ?? self::refuse("unknown parameter $name; $operation takes", $known);
            $value = $parameters[$name] ?? null;
            if (!in_array($value, $values, true)) {
                $name === 'algorithm' && is_string($value) && throw new Refusal(static::LACKS, 'skipped');
                $is = $value === null ? 'is missing' : 'cannot be ' . json_encode($value);
                self::refuse("parameter $name $is; it is one of", array_flip($values));
            }
        }
        $empty = new Operation(static fn (): string => '');
        $this->live = $operation === 'empty' ? $empty : $this->ready($operation, $parameters, $inputs);
        return ['witnesses' => (object) $this->live->witnesses];
    }

    private function witness(array $present): array
    {
        $artefact = $this->live->artefact === null ? null : ($this->live->artefact)();
        $read = (object) ($this->live->readBack === null ? [] : ($this->live->readBack)($artefact));
        foreach ($present as $index => $shown) {
            try {
                $present[$index] = $this->live->takes !== null && ($this->live->takes)($shown);
            } catch (Refusal) {
                $present[$index] = false;
            }
        }
        return ['witnesses' => $read, 'artefact' => $artefact, 'accepted' => $present];
    }

    private function measure(int $count, int $settle, bool $each): array
    {
        if ($each && max($count, $settle) > self::MOST_ONE_BY_ONE) {
            throw new Refusal('at most ' . self::MOST_ONE_BY_ONE . ' operations can be timed one by one');
        }
        $time = $each ? Timing::oneByOne(...) : Timing::together(...);
        $time($this->live->run, $settle);
        return ['count' => $count] + $time($this->live->run, $count);
    }
}
