"""The AWS side: the part of the Lambda API (2015-03-31, layers 2018-10-31) that unmodified clients are answered."""
