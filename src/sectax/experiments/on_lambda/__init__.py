"""Lambda functions as subjects: deployed at a memory size, invoked, timed by the service, deleted."""

# Endpoints; any other value is the address of a Lambda.
LOCAL = "local"  # sectax's own local Lambda
AWS = None  # boto3's default
LOCAL_ROLE = "arn:aws:iam::000000000000:role/local"

EMPTY_EVENT = b"{}"
