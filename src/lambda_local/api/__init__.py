"""The supported part of AWS's Lambda API (2015-03-31, layers 2018-10-31)."""
