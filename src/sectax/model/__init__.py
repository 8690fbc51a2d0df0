"""Data types shared by all packages: subject, plan, trial, estimate, finding."""
