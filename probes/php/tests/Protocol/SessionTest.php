<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Protocol;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Tests\Conversation;
use Sectax\Probe\Tests\Vectors;

final class SessionTest extends TestCase
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
        self::assertSame('hrtime', $reply['clock']['name']);
        self::assertGreaterThan(0, $reply['clock']['granularity_ns']);
        self::assertLessThan(1_000_000, $reply['clock']['granularity_ns']);
        self::assertGreaterThan(0, $reply['clock']['read_ns']);
        self::assertLessThan(1_000_000, $reply['clock']['read_ns']);
        self::assertSame('getrusage', $reply['cpu_clock']['name']);
        self::assertGreaterThan(0, $reply['cpu_clock']['granularity_ns']);
        self::assertLessThan(10_000_000, $reply['cpu_clock']['granularity_ns']);
        self::assertGreaterThan(0, $reply['cpu_clock']['read_ns']);
    }

    public function testTheVersionOfOpensslIsThatOfTheLibrary(): void
    {
        $libraries = $this->probe->ask('hello', protocol: 1)['libraries'];

        self::assertMatchesRegularExpression('/\AOpenSSL \d+\.\d+\.\d+/', $libraries[0]['version']);
        self::assertStringNotContainsString('headers', $libraries[0]['version']);
    }

    public function testEmptyMembersAreObjects(): void
    {
        $line = $this->probe->session->answer('{"seq": 7, "command": "prepare", "operation": "empty"}');

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

    public function testAReplyEchoesItsSeqAndUnknownMembersAreIgnored(): void
    {
        $reply = $this->probe->send('{"future": [1], "seq": 41, "command": "hello", "protocol": 1}');

        self::assertSame([41, 'ok'], [$reply['seq'], $reply['status']]);
    }

    public function testAPrepareThatFailsLeavesNothingToMeasure(): void
    {
        $this->probe->ask('prepare', operation: 'empty');
        $this->probe->prepareSign('HS256', 'primitive', 'parsed-per-call');
        $reply = $this->probe->ask('measure', count: 1);

        self::assertSame(['failed', 'nothing is prepared'], [$reply['status'], $reply['reason']]);
    }

    public function testStopStops(): void
    {
        self::assertFalse($this->probe->session->stopped());
        self::assertSame('ok', $this->probe->ask('stop')['status']);
        self::assertTrue($this->probe->session->stopped());
    }

    /** @dataProvider badLines */
    #[DataProvider('badLines')]
    public function testABadRequestFailsWithAReasonAndTheProbeGoesOn(string $line, ?int $seq, string $reason): void
    {
        $this->probe->ask('prepare', operation: 'empty');
        $reply = $this->probe->send($line);

        self::assertSame([$seq, 'failed'], [$reply['seq'], $reply['status']]);
        self::assertStringContainsString($reason, $reply['reason']);
        self::assertSame('ok', $this->probe->ask('hello', protocol: 1)['status']);
    }

    /** @return array<string, array{string, ?int, string}> */
    public static function badLines(): array
    {
        $jwt = '"command":"prepare","operation":"sign","parameters":';

        return [
            'nothing' => ['', null, 'not JSON'],
            'garbage' => ['hello?', null, 'not JSON'],
            'half an object' => ['{"seq": 1', null, 'not JSON'],
            'no UTF-8' => ["{\"seq\": 1, \"command\": \"\xff\"}", null, 'not JSON'],
            'nested too deep' => [str_repeat('[', 5000), null, 'not JSON'],
            'a list' => ['[{"seq": 1}]', null, 'not a JSON object'],
            'an empty list' => ['[]', null, 'not a JSON object'],
            'a number' => ['1', null, 'not a JSON object'],
            'null' => ['null', null, 'not a JSON object'],
            'no seq' => ['{"command": "hello", "protocol": 1}', null, 'seq'],
            'a seq that is a text' => ['{"seq": "1", "command": "hello", "protocol": 1}', null, 'seq'],
            'no command' => ['{"seq": 3}', 3, 'command'],
            'an unknown command' => ['{"seq": 3, "command": "dance"}', 3, 'unknown command dance'],
            'a command that is a list' => ['{"seq": 3, "command": ["hello"]}', 3, 'command'],
            'another protocol' => ['{"seq": 3, "command": "hello", "protocol": 2}', 3, 'protocol 1, not 2'],
            'no protocol' => ['{"seq": 3, "command": "hello"}', 3, 'protocol'],
            'an unknown operation' => ['{"seq": 3, "command": "prepare", "operation": "fly"}', 3, 'operation fly'],
            'a parameter of nothing' => [
                '{"seq": 3, "command": "prepare", "operation": "empty", "parameters": {"colour": "red"}}',
                3,
                'unknown parameter colour; empty takes none',
            ],
            'an unknown parameter' => ["{\"seq\":3,$jwt{\"colour\":\"red\"}}", 3, 'parameter colour; sign takes'],
            'a missing parameter' => ["{\"seq\":3,$jwt{}}", 3, 'parameter algorithm is missing'],
            'an unknown value' => [
                "{\"seq\":3,$jwt{\"algorithm\":\"RS256\",\"layer\":\"none\"}}",
                3,
                'cannot be "none"',
            ],
            'a value that is a list' => ["{\"seq\":3,$jwt{\"algorithm\":[\"RS256\"]}}", 3, 'cannot be ["RS256"]'],
            'parameters that are a text' => ["{\"seq\":3,$jwt\"RS256\"}", 3, 'parameters must be an object'],
            'no inputs' => [
                "{\"seq\":3,$jwt{\"algorithm\":\"RS256\",\"layer\":\"primitive\",\"key_use\":\"parsed-once\"}}",
                3,
                'input private_key_pem is missing',
            ],
            'count 0' => ['{"seq": 3, "command": "measure", "count": 0}', 3, 'count'],
            'no count' => ['{"seq": 3, "command": "measure"}', 3, 'count'],
            'a negative count' => ['{"seq": 3, "command": "measure", "count": -1}', 3, 'count'],
            'a count with a fraction' => ['{"seq": 3, "command": "measure", "count": 1.5}', 3, 'count'],
            'a count beyond integers' => ['{"seq": 3, "command": "measure", "count": 1e30}', 3, 'count'],
            'a negative settle' => ['{"seq": 3, "command": "measure", "count": 1, "settle": -1}', 3, 'settle'],
            'each that is a number' => ['{"seq": 3, "command": "measure", "count": 1, "each": 1}', 3, 'each'],
            'more numbers than a line holds' => [
                '{"seq": 3, "command": "measure", "count": 1000001, "each": true}',
                3,
                'one by one',
            ],
            'present that is a text' => ['{"seq": 3, "command": "witness", "present": "eyJ"}', 3, 'present'],
            'present with a number' => ['{"seq": 3, "command": "witness", "present": ["eyJ", 1]}', 3, 'present'],
        ];
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
