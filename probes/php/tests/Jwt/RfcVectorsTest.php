<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Jwt;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Tests\Conversation;
use Sectax\Probe\Tests\Vectors;

/** RFC 7515, appendices A.1 to A.3, and RFC 8037, appendix A.4, through the code that is timed. */
final class RfcVectorsTest extends TestCase
{
    /** @dataProvider treatments */
    #[DataProvider('treatments')]
    public function testThePublishedTokenIsAccepted(string $algorithm, string $layer, string $use): void
    {
        $vector = Vectors::of($algorithm);
        $probe = new Conversation();
        $prepared = $probe->prepareVerify($algorithm, $layer, $use, $vector['token']);
        $witness = $probe->ask('witness', present: [$vector['token']]);
        $measured = $probe->ask('measure', count: 3);

        // what RFC 8037 signs is a sentence and no claims: a genuine signature, but no JWT
        $genuine = $algorithm !== 'EdDSA' || $layer === 'primitive';
        self::assertSame('ok', $prepared['status']);
        self::assertSame(['alg' => $algorithm], $witness['witnesses']);
        self::assertSame([$genuine], $witness['accepted']);
        self::assertSame($genuine ? 0 : 3, $measured['failures']);
    }

    /** @dataProvider treatments */
    #[DataProvider('treatments')]
    public function testThePublishedSignatureIsMade(string $algorithm, string $layer, string $use): void
    {
        $vector = Vectors::of($algorithm);
        if (!$vector['deterministic'] || $layer === 'library') { // a library writes its own header
            $this->expectNotToPerformAssertions();

            return;
        }
        $signingInput = substr($vector['token'], 0, strrpos($vector['token'], '.'));
        $probe = new Conversation();
        $probe->prepareSign($algorithm, $layer, $use, ['signing_input' => $signingInput]);

        self::assertSame($vector['token'], $probe->ask('witness', present: [])['artefact']);
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function treatments(): iterable
    {
        return Vectors::treatments();
    }
}
