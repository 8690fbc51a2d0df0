"""Where a subject runs: as a plain process, later in a container or on another machine."""
