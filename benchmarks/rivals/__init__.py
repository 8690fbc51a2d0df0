"""sectax beside hyperfine, pyperf, benchstat and criterion: the same work, as much time, each by its own rule."""
