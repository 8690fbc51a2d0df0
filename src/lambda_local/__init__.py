"""AWS Lambda on one machine: AWS's API on loopback, its Runtime and Extensions APIs in every instance. See README.md.

    __main__    the command: serve, check, runtimes, setup
    api/        what boto3 and the AWS CLI speak to: functions, layers, Invoke
    code/       archives, unpacked
    runtimes/   AWS's runtime clients: what there is of them here
    instances/  the pool, the life of an instance, the APIs inside, the log, what is measured
    sandbox/    an instance from outside: control groups, namespaces, its disk
    inside/     its first processes: the root, the filter on system calls
    http/       HTTP for both sides

It imports nothing of sectax, and sectax knows its command and its API alone.
"""
