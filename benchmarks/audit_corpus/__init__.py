"""Real files of other people's numbers, with what somebody who reads them finds wrong."""
