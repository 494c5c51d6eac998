"""The tables of the tab “Benchmark”, read back from their HTML."""

from html.parser import HTMLParser


class Cells(HTMLParser):
    """The rows of all tables, each cell as its text up to the small type."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.small = [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
        self.small += tag == "small"

    def handle_endtag(self, tag):
        self.small -= tag == "small"

    def handle_data(self, data):
        if self.rows and self.rows[-1] and not self.small:
            self.rows[-1][-1] += data


def cells_of(html) -> dict[str, list[str]]:
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in Cells(html).rows if row}
