"""What stands in for AWS Secrets Manager in a run, and AWS's agent as an extension of a function.

server.py     moto's Secrets Manager behind TLS, a program of its own that runs with moto's interpreter
backend.py    starts it for a run, reads its counters, ends it
extension/    what begins AWS's agent inside a function's instance
layers.py     both, and the certificate that functions trust, as layers
"""
