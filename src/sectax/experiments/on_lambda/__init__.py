"""Lambda functions as subjects: deployed at a memory size, invoked, timed by the service itself, deleted."""

# Where functions can run; anything else is the address of a Lambda.
LOCAL = "local"  # sectax's own local Lambda
AWS = None  # no endpoint: AWS's client then speaks to AWS itself
LOCAL_ROLE = "arn:aws:iam::000000000000:role/local"

EMPTY_EVENT = b"{}"
