"""The story: plan, run, record, analyse, report. The only place where the rooms of the house meet."""
