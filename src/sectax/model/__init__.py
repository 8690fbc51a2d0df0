"""The nouns of sectax: subject, treatment, plan, trial, estimate, verdict, finding. Data only: nothing here acts."""
