<?php

declare(strict_types=1);

namespace Sectax\Probe\Protocol;

use Sectax\Probe\Catalogue;
use Sectax\Probe\Clock;
use Sectax\Probe\CpuClock;
use Sectax\Probe\Operation\Batch;
use Sectax\Probe\Operation\Subject;
use Sectax\Probe\Runtime;
use Throwable;

/** The conversation: a line in, a line out. It opens nothing and prints nothing. */
final class Session
{
    private const PROTOCOL = 1;

    /** Numbers in one reply: with a dozen digits each they stay under the 16 MiB that a line may have. */
    private const MOST_ONE_BY_ONE = 1_000_000;

    private ?Subject $subject = null;

    private bool $stopped = false;

    public function stopped(): bool
    {
        return $this->stopped;
    }

    /** Answer one request, without the line break at its end. */
    public function answer(string $line): string
    {
        $seq = null;
        try {
            $request = Request::parse($line);
            $seq = $request->seq() ?? throw Refusal::failed('seq is missing, or not an integer');
            $reply = ['status' => 'ok'] + $this->reply($request);
        } catch (Refusal $refusal) {
            $reply = $refusal->reply();
        } catch (Throwable $error) {
            $reply = Refusal::failed($error::class . ': ' . $error->getMessage())->reply();
        }

        return self::encode(['seq' => $seq] + $reply);
    }

    /** Answer a line that was too long to be read. */
    public function refuse(string $reason): string
    {
        return self::encode(['seq' => null] + Refusal::failed($reason)->reply());
    }

    /** @return array<string, mixed> */
    private function reply(Request $request): array
    {
        $command = $request->text('command');

        return match ($command) {
            'hello' => $this->hello($request),
            'prepare' => $this->prepare($request),
            'witness' => $this->witness($request),
            'measure' => $this->measure($request),
            'stop' => $this->stop(),
            default => throw Refusal::failed(
                "unknown command $command; there are hello, prepare, witness, measure, stop"
            ),
        };
    }

    /** @return array<string, mixed> */
    private function hello(Request $request): array
    {
        $asked = $request->integer('protocol', atLeast: 1);
        if ($asked !== self::PROTOCOL) {
            throw Refusal::failed('this probe speaks protocol ' . self::PROTOCOL . ", not $asked");
        }
        $clock = Clock::measure();
        $cpuClock = CpuClock::measure();

        return array_filter([
            'protocol' => self::PROTOCOL,
            'probe' => ['name' => 'php', 'version' => '1'],
            'runtime' => Runtime::describe(),
            'libraries' => Runtime::libraries(),
            'operations' => Catalogue::describe(),
            'clock' => [
                'name' => 'hrtime',
                'granularity_ns' => $clock->granularityNs,
                'read_ns' => $clock->readNs,
            ],
            'cpu_clock' => $cpuClock === null ? null : [
                'name' => CpuClock::NAME,
                'granularity_ns' => $cpuClock->granularityNs,
                'read_ns' => $cpuClock->readNs,
            ],
        ], static fn (mixed $member): bool => $member !== null);
    }

    /** @return array<string, mixed> */
    private function prepare(Request $request): array
    {
        $this->subject = null; // whatever comes of this request, the operation before it must not be measured for it
        $this->subject = Catalogue::prepare(
            $request->text('operation'),
            $request->map('parameters'),
            new Inputs($request->map('inputs')),
        );

        return ['witnesses' => (object) $this->subject->prepared];
    }

    /** @return array<string, mixed> */
    private function witness(Request $request): array
    {
        $subject = $this->live();
        $present = $request->texts('present');
        $artefact = $subject->artefact();

        return [
            'witnesses' => (object) $subject->witnesses($artefact),
            'artefact' => $artefact,
            'accepted' => array_map($subject->accepts(...), $present),
        ];
    }

    /** @return array<string, mixed> */
    private function measure(Request $request): array
    {
        $subject = $this->live();
        $count = $request->integer('count', atLeast: 1);
        $settle = $request->integer('settle', atLeast: 0, otherwise: 0);
        $each = $request->flag('each');
        if ($each && max($count, $settle) > self::MOST_ONE_BY_ONE) {
            throw Refusal::failed('at most ' . self::MOST_ONE_BY_ONE . ' operations can be timed one by one');
        }
        $run = $subject->run;

        if ($each) {
            Batch::oneByOne($run, $settle);
            $batch = Batch::oneByOne($run, $count);
        } else {
            Batch::together($run, $settle);
            $batch = Batch::together($run, $count);
        }

        return [
            'count' => $count,
            'elapsed_ns' => $batch->elapsed,
            'failures' => $batch->failures,
            'bytes' => $batch->bytes > 0 ? $batch->bytes : null, // a verification gives out none
            'cpu_ns' => $batch->cpu,
        ];
    }

    /** @return array<string, mixed> */
    private function stop(): array
    {
        $this->stopped = true;

        return [];
    }

    private function live(): Subject
    {
        return $this->subject ?? throw Refusal::failed('nothing is prepared');
    }

    /** @param array<string, mixed> $reply */
    private static function encode(array $reply): string
    {
        return json_encode(
            $reply,
            JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR
        );
    }
}
