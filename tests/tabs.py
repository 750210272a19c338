"""The report's page in a tab of Chromium, and what tests want of it: the list, its filters, an opened puzzle."""

from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from chromium import BrowserTab


class Tab(BrowserTab):
    """The tab at a report."""

    def load(self, page: Path, address: str = "") -> None:
        """Reload a page; `address` is its fragment."""
        self.driver.get("about:blank")
        self.driver.get_log("performance")
        self.driver.get_log("browser")
        self.driver.get(page.as_uri() + address)
        self.until(lambda: self.run("return !document.querySelector('.browse-content')?.hidden"))

    def draw(self) -> None:
        """Scroll past every chart in sight, and wait until it is drawn: charts are, once they are near."""
        for plot in self.all("[data-chart]"):
            if plot.is_displayed():
                self.run("arguments[0].scrollIntoView()", plot)
                self.until(partial(self.run, "return arguments[0].classList.contains('vega-embed')", plot))

    def set_state(self, page: Path, **state: str) -> None:
        """Have the list in a state, as by a link; the page is opened if it is not there."""
        address = "#browse?" + urlencode(state)
        if self.driver.current_url.split("#")[0] == page.as_uri():
            self.driver.execute_async_script(FOLLOW_LINK, address)
        else:
            self.load(page, address)

    def count(self) -> str:
        return str(self.run("return document.querySelector('.browse-count').textContent"))

    def column(self, name: str) -> list[str]:
        """Return a column of the list, all its rows: it is scrolled through from top to bottom."""
        return list(self.run(WHOLE_COLUMN, name))

    def search(self, words: str) -> None:
        """Have these words in the search box."""
        script = """const box = document.querySelector('.browse-filters').elements.query;
            box.value = arguments[0]; box.dispatchEvent(new Event('input', { bubbles: true }));"""
        self.run(script, words)

    def choose(self, name: str, *words: str) -> None:
        """Tick these words of a filter, as people do, or untick those that were."""
        self.run("document.querySelector('.facets:not(.whole) .more:not([hidden])')?.click()")
        self.run("document.querySelector(`[data-facet='${arguments[0]}']`).open = true", name)
        for word in words:
            self.until(partial(self.run, FIND_CHOICE, name, word)).click()
        self.run("document.querySelector(`[data-facet='${arguments[0]}']`).open = false", name)

    def counts(self, name: str) -> dict[str, int]:
        """Return how many puzzles each word of a filter would leave, as it says."""
        self.run("document.querySelector(`[data-facet='${arguments[0]}']`).open = true", name)
        counts = self.until(lambda: self.run(CHOICES, name))
        self.run("document.querySelector(`[data-facet='${arguments[0]}']`).open = false", name)
        return {word: int(count.replace(",", "")) for word, count in counts}

    def sort(self, name: str) -> None:
        self.one(f".browse-head .{name} button").click()

    def shown(self) -> dict[str, Any]:
        """Return what the opened puzzle's drawing shows; waits for it."""
        self.until(lambda: self.run("return document.getElementById('browse-puzzle').open"))
        self.until(lambda: self.run("return document.querySelector('#browse-puzzle .sheet').ariaBusy === 'false'"))
        return dict(self.run(DRAWING))


CHOICES = """
return Array.from(document.querySelectorAll(`[data-facet='${arguments[0]}'] .choice`),
  (choice) => [choice.querySelector('bdi').textContent, choice.querySelector('.count').textContent]);
"""

FIND_CHOICE = """
return Array.from(document.querySelectorAll(`[data-facet='${arguments[0]}'] .choice`))
  .find((choice) => choice.querySelector('bdi').textContent === arguments[1]) ?? null;
"""

FOLLOW_LINK = """
const [address, done] = arguments;
if (location.hash === address) return done();
addEventListener('popstate', () => setTimeout(done), { once: true });
location.hash = address;
"""

WHOLE_COLUMN = """
const grid = document.querySelector('.browse-grid');
const found = [];
for (let top = 0; ; top += 600) {
  grid.scrollTop = top;
  grid.dispatchEvent(new Event('scroll'));
  for (const row of grid.querySelectorAll('.browse-rows .browse-row:not([hidden])'))
    found[row.dataset.place] = row.querySelector('.' + arguments[0]).textContent;
  if (top >= grid.scrollHeight) break;
}
return found;
"""

DRAWING = """
const text = (name) => document.querySelector(`#browse-puzzle .${name}`).textContent;
const paths = (kind) => Array.from(document.querySelectorAll(`.nonogram .${kind}`),
  (path) => [path.dataset.entry ?? null, path.getAttribute('fill'), path.getAttribute('d')]);
return {
  name: text('name'), author: text('author'), id: text('id'), legend: text('legend'), reason: text('reason'),
  cells: paths('cells'), marks: paths('marks'),
  layers: Array.from(document.querySelectorAll('.layers input'), (input) => input.value),
};
"""
