"""Where a subject runs: a started child, its telemetry and its identity, here, in a container or over ssh."""
