<?php

// PSR-4, so that the probe runs without composer; composer.json says the same.

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . strtr(substr($class, strlen('Sectax\\Probe')), '\\', '/') . '.php';
    if (str_starts_with($class, 'Sectax\\Probe\\') && is_file($file)) {
        require $file;
    }
});
