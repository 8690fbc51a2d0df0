<?php

declare(strict_types=1);

namespace Sectax\Probe\Operation;

use Sectax\Probe\Protocol\Inputs;
use Sectax\Probe\Protocol\Refusal;

/** A kind of operation that this probe offers: a line of `operations` in the answer to `hello`. */
interface Kind
{
    /** @return array<string, list<string>> the parameters that it takes, and the values of each */
    public function parameters(): array;

    /**
     * Make one operation ready to be timed.
     *
     * @param array<string, string> $parameters one value, out of those listed, for each of parameters()
     *
     * @throws Refusal when this combination cannot be had here, or the inputs do not fit
     */
    public function prepare(array $parameters, Inputs $inputs): Subject;
}
