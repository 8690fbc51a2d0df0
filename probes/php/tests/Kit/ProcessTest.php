<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Kit;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Tests\Vectors;

/** The program itself, in a process of its own. */
final class ProcessTest extends TestCase
{
    private const HELLO = "{\"seq\": 1, \"command\": \"hello\", \"protocol\": 1}\n";
    private const STOP = "{\"seq\": 2, \"command\": \"stop\"}\n";

    public function testItEndsWithItsInputAndBeforeThatWhenToldTo(): void
    {
        [$replies, $log, $status] = self::probe(self::HELLO . self::STOP . self::HELLO);

        self::assertSame([[], '', 0], self::probe(''));
        self::assertSame(['ok'], array_column(self::probe(self::HELLO)[0], 'status'));
        self::assertSame([1, 2], array_column($replies, 'seq'));
        self::assertSame(['', 0], [$log, $status]);
        self::assertSame([2], array_column(self::probe(trim(self::STOP))[0], 'seq')); // the last line lacks its break
    }

    public function testALineThatIsTooLongIsRefusedAndTheNextOneAnswered(): void
    {
        $long = '{"seq": 1, "command": "' . str_repeat('x', 40 * 1024 * 1024) . "\"}\n";
        [$replies, , $status] = self::probe($long . self::STOP);

        self::assertSame(['failed', 'ok'], array_column($replies, 'status'));
        self::assertStringContainsString('16 MiB', $replies[0]['reason']);
        self::assertSame(0, $status);
    }

    public function testALineOfTheGreatestLengthIsRead(): void
    {
        $head = '{"seq": 1, "command": "stop", "padding": "';
        $line = $head . str_repeat('x', 16 * 1024 * 1024 - strlen($head) - 2) . "\"}\n";

        self::assertSame(['ok'], array_column(self::probe($line)[0], 'status'));
    }

    /** @dataProvider missing */
    #[DataProvider('missing')]
    public function testWhatIsMissingIsSkippedWithItsHint(string $functions, string $algorithm): void
    {
        $inputs = Vectors::of($algorithm)['inputs'] + ['token' => Vectors::of($algorithm)['token']];
        $requests = self::HELLO;
        foreach (['sign', 'verify'] as $operation) {
            $requests .= json_encode([
                'seq' => 2,
                'command' => 'prepare',
                'operation' => $operation,
                'parameters' => ['algorithm' => $algorithm, 'layer' => 'library', 'key_use' => 'parsed-once'],
                'inputs' => $inputs + ['claims' => '{}'],
            ]) . "\n";
        }
        [$replies, $log] = self::probe($requests, '-d', "disable_functions=$functions");

        self::assertSame(['ok', 'skipped', 'skipped'], array_column($replies, 'status'));
        self::assertSame('apt-get install php-cli', $replies[1]['hint']);
        self::assertSame('', $log);
    }

    /** @return array<string, array{string, string}> */
    public static function missing(): array
    {
        return [
            'openssl, RSA' => ['openssl_sign,openssl_verify', 'RS256'],
            'openssl, ECDSA' => ['openssl_sign,openssl_verify', 'ES256'],
            'sodium' => ['sodium_crypto_sign_detached,sodium_crypto_sign_verify_detached', 'EdDSA'],
        ];
    }

    public function testWithoutItsCpuClockTheProbeGivesWallTimeAlone(): void
    {
        $requests = self::HELLO . "{\"seq\": 2, \"command\": \"prepare\", \"operation\": \"empty\"}\n"
            . "{\"seq\": 3, \"command\": \"measure\", \"count\": 5}\n";
        [$replies] = self::probe($requests, '-d', 'disable_functions=getrusage');

        self::assertSame(['ok', 'ok', 'ok'], array_column($replies, 'status'));
        self::assertArrayNotHasKey('cpu_clock', $replies[0]);
        self::assertNull($replies[2]['cpu_ns']);
    }

    public function testWithoutAnIniFilePhpStaysQuietOnStdout(): void
    {
        // no php.ini: PHP's own default prints every warning on stdout; a missing extension is one
        [$replies, $log] = self::probe(self::HELLO . self::STOP, '-n', '-d', 'extension=no_such_extension');

        self::assertSame(['ok', 'ok'], array_column($replies, 'status'));
        self::assertStringContainsString('no_such_extension', $log);
    }

    /**
     * The answers of the probe as probe.toml starts it, its log and its exit status.
     *
     * @return array{list<array<string, mixed>>, string, int}
     */
    private static function probe(string $requests, string ...$options): array
    {
        $input = tmpfile();
        fwrite($input, $requests);
        rewind($input);
        $log = tmpfile();
        $process = proc_open(
            [PHP_BINARY, ...$options, '-d', 'display_errors=stderr', __DIR__ . '/../../bin/probe.php'],
            [$input, ['pipe', 'w'], $log],
            $pipes,
        );
        $output = stream_get_contents($pipes[1]);
        $status = proc_close($process);
        rewind($log);
        $replies = array_map(
            static fn (string $line): array => json_decode($line, true, flags: JSON_THROW_ON_ERROR),
            explode("\n", $output, -1),
        );

        return [$replies, stream_get_contents($log), $status];
    }
}
