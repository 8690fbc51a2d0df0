<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Kind;
use Sectax\Probe\Operation\Subject;
use Sectax\Probe\Protocol\Inputs;
use Sectax\Probe\Protocol\Refusal;

/** `verify`: the signature of `token`, or the complete `token`. */
final class VerifyKind implements Kind
{
    public function parameters(): array
    {
        return Treatment::parameters();
    }

    public function prepare(array $parameters, Inputs $inputs): Subject
    {
        $treatment = Treatment::of($parameters);
        $key = $treatment->keys($inputs)->verifying();
        $token = $inputs->text('token');

        try {
            return new VerifySubject($token, $treatment->label($key->witnesses()), new Checker($treatment, $key));
        } catch (InvalidToken $invalid) {
            throw Refusal::failed('input token cannot be verified: ' . $invalid->getMessage());
        }
    }
}
