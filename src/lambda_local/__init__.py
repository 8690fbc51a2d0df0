"""AWS Lambda on one machine: AWS's API on loopback, Runtime and Extensions APIs in each instance. See README.md.

    __main__    the command: serve, check, runtimes, setup
    api/        AWS's API for boto3 and the AWS CLI: functions, layers, Invoke
    code/       unpacked archives
    runtimes/   AWS's runtime clients on this machine
    instances/  pool, lifecycle, the APIs inside an instance, log, measurement
    sandbox/    an instance from outside: control groups, namespaces, disk
    inside/     its first processes: root file system, filter of system calls
    http/       HTTP for both sides

It imports nothing of sectax, and sectax uses only its command and its API.
"""
