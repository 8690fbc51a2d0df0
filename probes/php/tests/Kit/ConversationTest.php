<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Kit;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Tests\Conversation;
use Sectax\Probe\Tests\Vectors;

final class ConversationTest extends TestCase
{
    private Conversation $probe;

    protected function setUp(): void
    {
        $this->probe = new Conversation();
    }

    public function testHelloSaysWhoIsThere(): void
    {
        $reply = $this->probe->ask('hello', protocol: 1);

        self::assertSame([1, 'ok', 1], [$reply['seq'], $reply['status'], $reply['protocol']]);
        self::assertSame(['name' => 'PHP', 'version' => PHP_VERSION], $reply['runtime']);
        self::assertSame(
            ['empty', 'sign', 'verify', 'hash', 'mac', 'aead-seal', 'aead-open', 'agree', 'password'],
            array_column($reply['operations'], 'name')
        );
        self::assertSame(
            ['openssl', 'sodium', 'hash', 'opcache', 'jit'],
            array_slice(array_column($reply['libraries'], 'name'), 0, 5)
        );
        self::assertSame(['hrtime', 'getrusage'], [$reply['clock']['name'], $reply['cpu_clock']['name']]);
    }

    public function testTheVersionOfOpensslIsThatOfTheLibrary(): void
    {
        $libraries = $this->probe->ask('hello', protocol: 1)['libraries'];

        self::assertMatchesRegularExpression('/\AOpenSSL \d+\.\d+\.\d+/', $libraries[0]['version']);
        self::assertStringNotContainsString('headers', $libraries[0]['version']);
    }

    public function testEmptyMembersAreObjects(): void
    {
        $line = $this->probe->probe->answer('{"seq": 7, "command": "prepare", "operation": "empty"}');

        self::assertSame('{"seq":7,"status":"ok","witnesses":{}}', $line);
    }

    public function testTheEmptyOperationIsMeasured(): void
    {
        $this->probe->ask('prepare', operation: 'empty', parameters: [], inputs: []);
        $witness = $this->probe->ask('witness', present: ['eyJ', '']);
        $together = $this->probe->ask('measure', count: 100, settle: 100, each: false);
        $oneByOne = $this->probe->ask('measure', count: 100, settle: 0, each: true);

        self::assertSame([null, [false, false]], [$witness['artefact'], $witness['accepted']]);
        self::assertSame([100, 0, null], [$together['count'], $together['failures'], $together['bytes']]);
        self::assertCount(1, $together['elapsed_ns']);
        self::assertCount(100, $oneByOne['elapsed_ns']);
        self::assertIsInt($together['cpu_ns']);
        self::assertNull($oneByOne['cpu_ns']);
    }

    public function testBytesAreThoseOfTheTimedOperationsAlone(): void
    {
        $this->probe->prepareSign('RS256', 'primitive', 'parsed-once');
        $sign = $this->probe->ask('measure', count: 3, settle: 5);
        $this->probe->prepareVerify('RS256', 'primitive', 'parsed-once', Vectors::of('RS256')['token']);
        $verify = $this->probe->ask('measure', count: 3, settle: 5);

        self::assertSame(3 * 256, $sign['bytes']);
        self::assertNull($verify['bytes']);
    }

    public function testAPrepareThatFailsLeavesNothingToMeasure(): void
    {
        foreach (['RS256', ['algorithm' => 'PS256']] as $parameters) {
            $this->probe->ask('prepare', operation: 'empty');
            $this->probe->ask('prepare', operation: 'sign', parameters: $parameters);
            $reply = $this->probe->ask('measure', count: 1);

            self::assertSame(['failed', 'nothing is prepared'], [$reply['status'], $reply['reason']]);
        }
    }

    /** @dataProvider badLines */
    #[DataProvider('badLines')]
    public function testABadRequestFailsWithAReasonAndTheProbeGoesOn(string $line, ?int $seq, string $reason): void
    {
        $this->probe->ask('prepare', operation: 'empty');
        $reply = $this->probe->send($line);
        $hello = $this->probe->send('{"future": [1], "seq": 41, "command": "hello", "protocol": 1}');

        self::assertSame([$seq, 'failed'], [$reply['seq'], $reply['status']]);
        self::assertStringContainsString($reason, $reply['reason']);
        self::assertSame([41, 'ok'], [$hello['seq'], $hello['status']]);
    }

    /** @return iterable<string, array{string, ?int, string}> */
    public static function badLines(): iterable
    {
        $lines = [
            '' => 'not JSON',
            'hello?' => 'not JSON',
            '{"seq": 1' => 'not JSON',
            "{\"seq\": 1, \"command\": \"\xff\"}" => 'not JSON',
            str_repeat('[', 5000) => 'not JSON',
            '[{"seq": 1}]' => 'not a JSON object',
            '[]' => 'not a JSON object',
            '1' => 'not a JSON object',
            'null' => 'not a JSON object',
            '{"command": "hello", "protocol": 1}' => 'seq',
            '{"seq": "1", "command": "hello", "protocol": 1}' => 'seq',
        ];
        foreach ($lines as $line => $reason) {
            yield 'line ' . substr((string) $line, 0, 20) => [(string) $line, null, $reason];
        }
        $sign = '"command": "prepare", "operation": "sign", "parameters": ';
        $requests = [
            '"future": 1' => 'command',
            '"command": "dance"' => 'unknown command dance',
            '"command": ["hello"]' => 'command',
            '"command": "hello", "protocol": 2' => 'protocol 1, not 2',
            '"command": "hello"' => 'protocol',
            '"command": "prepare", "operation": "fly"' => 'operation fly',
            '"command": "prepare", "operation": "empty", "parameters": {"colour": "red"}' =>
                'unknown parameter colour; empty takes none',
            $sign . '{"colour": "red"}' => 'parameter colour; sign takes',
            $sign . '{}' => 'parameter algorithm is missing',
            $sign . '{"algorithm": "RS256", "layer": "none"}' => 'cannot be "none"',
            $sign . '{"algorithm": ["RS256"]}' => 'cannot be ["RS256"]',
            $sign . '"RS256"' => 'parameters must be an object',
            $sign . '{"algorithm": "RS256", "layer": "primitive", "key_use": "parsed-once"}' =>
                'input private_key_pem is missing',
            '"command": "measure", "count": 0' => 'count',
            '"command": "measure"' => 'count',
            '"command": "measure", "count": -1' => 'count',
            '"command": "measure", "count": 1.5' => 'count',
            '"command": "measure", "count": 1e30' => 'count',
            '"command": "measure", "count": 1, "settle": -1' => 'settle',
            '"command": "measure", "count": 1, "each": 1' => 'each',
            '"command": "measure", "count": 1000001, "each": true' => 'one by one',
            '"command": "witness", "present": "eyJ"' => 'present',
            '"command": "witness", "present": ["eyJ", 1]' => 'present',
            '"command": "witness", "present": {"0": "a", "b": "c"}' => 'present',
        ];
        foreach ($requests as $members => $reason) {
            yield $members => ["{\"seq\": 3, $members}", 3, $reason];
        }
    }

    public function testAnAlgorithmThatOthersHaveIsSkipped(): void
    {
        $reply = $this->probe->ask('prepare', operation: 'sign', parameters: ['algorithm' => 'PS256']);

        self::assertSame('skipped', $reply['status']);
        self::assertStringStartsWith('not in PHP', $reply['reason']);
    }

    public function testNothingIsMeasuredOrWitnessedBeforePrepare(): void
    {
        self::assertSame('nothing is prepared', $this->probe->ask('measure', count: 1)['reason']);
        self::assertSame('nothing is prepared', $this->probe->ask('witness', present: [])['reason']);
    }

    public function testATokenWithoutASignatureCannotBePreparedWhereOnlyThatIsTimed(): void
    {
        $reply = $this->probe->prepareVerify('RS256', 'primitive', 'parsed-once', 'no.token');

        self::assertSame('failed', $reply['status']);
        self::assertStringContainsString('three parts', $reply['reason']);
    }
}
