<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Jwt;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Base64Url;
use Sectax\Probe\Jwt\Jws;
use Sectax\Probe\Jwt\Keys;
use Sectax\Probe\Kit\Refusal;

/** The library layer believes nothing that it has not checked. Every token here carries a genuine HMAC. */
final class JwsTest extends TestCase
{
    private Keys $key;

    protected function setUp(): void
    {
        $this->key = Keys::hmac('HS256', str_repeat('k', 32));
    }

    public function testTheClaimsComeBack(): void
    {
        $claims = json_decode('{"sub":"é/x","n":1.0,"list":[],"map":{}}');
        $token = Jws::encode($claims, 'HS256', $this->key);

        self::assertEquals($claims, Jws::decode($token, 'HS256', $this->key));
        self::assertSame('{"typ":"JWT","alg":"HS256"}', Base64Url::decode(explode('.', $token)[0]));
    }

    /** @dataProvider forgeries */
    #[DataProvider('forgeries')]
    public function testItRefuses(string $header, string $payload, string $why): void
    {
        $token = $this->signed($header, $payload);

        $this->expectException(Refusal::class);
        $this->expectExceptionMessage($why);
        Jws::decode($token, 'HS256', $this->key);
    }

    /** @return array<string, array{string, string, string}> header, payload, why */
    public static function forgeries(): array
    {
        return [
            'alg none' => ['{"alg":"none"}', '{}', 'HS256'],
            'another alg' => ['{"alg":"HS512"}', '{}', 'HS256'],
            'alg in other letters' => ['{"alg":"hs256"}', '{}', 'HS256'],
            'alg that is no text' => ['{"alg":true}', '{}', 'HS256'],
            'alg in a list' => ['{"alg":["HS256"]}', '{}', 'HS256'],
            'no alg' => ['{}', '{}', 'HS256'],
            'an extension' => ['{"alg":"HS256","crit":["exp"],"exp":1}', '{}', 'extension'],
            'a header that is no JSON' => ['alg=HS256', '{}', 'header is not JSON'],
            'a header that is a list' => ['["HS256"]', '{}', 'header is not a JSON object'],
            'an empty header' => ['', '{}', 'header is not JSON'],
            'a header that is no UTF-8' => ["{\"alg\":\"HS256\",\"x\":\"\xff\"}", '{}', 'header is not JSON'],
            'a payload that is no JSON' => ['{"alg":"HS256"}', 'sub=1', 'payload is not JSON'],
            'a payload that is a text' => ['{"alg":"HS256"}', '"sub"', 'payload is not a JSON object'],
            'a payload that is null' => ['{"alg":"HS256"}', 'null', 'payload is not a JSON object'],
            'an empty payload' => ['{"alg":"HS256"}', '', 'payload is not JSON'],
        ];
    }

    public function testAnotherSpellingOfThePartsIsRefusedAndNoSignature(): void
    {
        $header = Base64Url::encode('{"alg":"HS256"}');
        $input = "$header." . 'e31'; // 'e30' is {}, and 'e31' is {} with a stray bit
        $none = Base64Url::encode('{"alg":"none"}') . '.' . Base64Url::encode('{}') . '.';
        $signed = $input . '.' . Base64Url::encode(($this->key->sign)($input));
        foreach ([$signed => 'canonical', $none => 'HS256'] as $token => $why) {
            try {
                Jws::decode($token, 'HS256', $this->key);
                self::fail($why);
            } catch (Refusal $refusal) {
                self::assertStringContainsString($why, $refusal->getMessage());
            }
        }
    }

    private function signed(string $header, string $payload): string
    {
        $input = Base64Url::encode($header) . '.' . Base64Url::encode($payload);

        return $input . '.' . Base64Url::encode(($this->key->sign)($input));
    }
}
