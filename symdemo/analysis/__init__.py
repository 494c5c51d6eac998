"""Where a model is right and where it is not: rows, figures beside baselines, and a report."""

from symdemo.analysis.analysing import Analysis, analyse, analyse_predictions
from symdemo.analysis.comparison import Comparison
from symdemo.analysis.overview import Overview, Share
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
