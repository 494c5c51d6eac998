"""Analyse models on pairs: a table of answers, scores beside baselines, and an HTML report."""

from symdemo.analysis.analysing import Analysis, analyse, analyse_predictions
from symdemo.analysis.overview import Comparison, Overview, Share
from symdemo.analysis.report import report_html

__all__ = [
    "Analysis",
    "Comparison",
    "Overview",
    "Share",
    "analyse",
    "analyse_predictions",
    "report_html",
]
