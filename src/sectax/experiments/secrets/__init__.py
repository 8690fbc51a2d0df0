"""How a function gets its secret: from the service, from AWS's caching sidecar, or from its own memory."""
