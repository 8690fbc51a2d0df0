<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use JsonException;
use Sectax\Probe\Operation\Kind;
use Sectax\Probe\Operation\Subject;
use Sectax\Probe\Protocol\Inputs;
use Sectax\Probe\Protocol\Refusal;
use stdClass;

/** `sign`: a signature over `signing_input`, or a complete token from `claims`. */
final class SignKind implements Kind
{
    public function parameters(): array
    {
        return Treatment::parameters();
    }

    public function prepare(array $parameters, Inputs $inputs): Subject
    {
        $treatment = Treatment::of($parameters);
        [$key, $counterpart] = $treatment->keys($inputs)->signing();
        $signingInput = '';
        if ($treatment->layer === Layer::Primitive) {
            $signingInput = self::signingInput($inputs);
            $operation = $key->signing($signingInput);
        } else {
            $operation = new TokenSign(self::claims($inputs), $treatment->algorithm->name, $key);
        }

        return new SignSubject(
            $operation,
            $treatment->label($key->witnesses()),
            static fn (string $product): string => $treatment->layer === Layer::Primitive
                ? $signingInput . '.' . Base64Url::encode($key->toJose($product))
                : $product,
            new Checker($treatment, $counterpart),
        );
    }

    private static function signingInput(Inputs $inputs): string
    {
        $text = $inputs->text('signing_input');
        if (preg_match('/\A[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\z/', $text) !== 1) {
            throw Refusal::failed('input signing_input is not base64url(header).base64url(claims)');
        }

        return $text;
    }

    private static function claims(Inputs $inputs): stdClass
    {
        try {
            $claims = json_decode($inputs->text('claims'), false, 512, JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            $claims = null;
        }

        return $claims instanceof stdClass ? $claims : throw Refusal::failed('input claims is not a JSON object');
    }
}
