"""How a function gets its secret: service, caching sidecar, own memory."""
