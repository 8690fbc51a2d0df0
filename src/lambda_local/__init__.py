"""A Lambda of our own on loopback: AWS's API outside, AWS's Runtime and Extensions APIs inside every instance.

    api/        what boto3 and the AWS CLI speak to: functions, layers, Invoke
    code/       archives, unpacked
    instances/  the pool, the life of an instance, the APIs inside, the log, what is measured
    http/       HTTP for both sides
    service.py  all of it together; main.py runs it until a signal; local.py embeds it in a run

Nothing here is imported by importing this package: the server loads no client, and the client no server.
"""
