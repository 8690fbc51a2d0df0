"""Where a subject runs: as a plain process or in the sandbox of a function, later on another machine."""
