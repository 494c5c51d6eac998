"""CSV for spreadsheets: every cell comes back, and none is run as a formula."""

import csv
import io

import pytest

from symdemo.data.csv_text import csv_text


@pytest.mark.parametrize("sign", "=+-@\t\r")
def test_a_text_that_begins_like_a_formula_gets_a_sign_first(sign):
    text = csv_text([[f"{sign}1+1", f"1{sign}1"]])
    assert next(csv.reader(io.StringIO(text, newline=""))) == [f"'{sign}1+1", f"1{sign}1"]


def test_cells_come_back_and_numbers_stay_numbers():
    text = csv_text([["a,b", 'say "x"', -1.5, None]], "\n")
    assert text == '"a,b","say ""x""",-1.5,\n'
