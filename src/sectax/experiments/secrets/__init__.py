"""How does a function come to its secret: from the service, through AWS's caching sidecar, or from its own memory?"""
