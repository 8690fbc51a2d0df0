"""The report as a CSV table: `findings`, one row per comparison, or `treatments`, one row per treatment and metric."""

from sectax.reports.csv.tables import TABLES, render

__all__ = ["TABLES", "render"]
