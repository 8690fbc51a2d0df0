"""Lambda functions as subjects, timed by the service."""

# Endpoints; any other value is the address of a Lambda.
LOCAL = "local"  # sectax's own local Lambda
AWS = None  # boto3's default
LOCAL_ROLE = "arn:aws:iam::000000000000:role/local"

EMPTY_EVENT = b"{}"
