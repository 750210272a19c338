"""Joined modules do what node does with the same modules, and what can't be joined is refused."""

from pathlib import Path

import pytest
from nodejs import run

from nonocensus.reports.page.page_scripts import joined

TEMPLATES = Path(__file__).resolve().parents[3] / "reports/templates"
ENTRIES = ("report.js", "explanation.js", "serve/page.js")

MODULES = {
    "package.json": '{ "type": "module" }',
    "main.js": """
import { name, nameOf } from "./parts/one.js";
import { Other } from "./parts/two.js";
console.log(JSON.stringify([name, nameOf(), new Other().name]));
""",
    "parts/one.js": """import { shout } from "./words.js";

const secret = "one";
export const name = shout(secret);
export function nameOf() {
  return name;
}
console.log("one");
""",
    "parts/two.js": """import { shout } from "./words.js";

const secret = "two"; // the names of one.js once more
const name = shout(secret);
function nameOf() {
  return `${name}?`;
}
export class Other {
  name = nameOf();
}
console.log("two");
""",
    "parts/words.js": """export async function later() {}
export function shout(text) {
  return `${text}!`;
}
console.log("words, once");
""",
}
"""Two modules that declare the same names, and one that both import."""


def test_joined_modules_do_what_they_do_apart(tmp_path: Path) -> None:
    for name, text in MODULES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "joined.cjs").write_text(joined("main.js", MODULES.__getitem__))
    apart, together = (run(str(tmp_path / name)) for name in ("main.js", "joined.cjs"))
    assert together.stdout == apart.stdout == 'words, once\none\ntwo\n["one!","one!","two!?"]\n'
    assert (apart.stderr, together.stderr) == ("", "")


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ({"a.js": 'import { b } from "./b.js";\n', "b.js": "const b = 1;\n"}, "a.js: b.js does not export b"),
        (
            {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\nexport const b = 1;\n'},
            "a.js -> b.js -> a.js",
        ),
        ({"a.js": 'import * as b from "./b.js";\n'}, "import"),
        ({"a.js": 'import { b as c } from "./b.js";\n'}, "import"),
        ({"a.js": 'import { b } from "other";\n'}, "import"),
        ({"a.js": 'const b = () => import("./b.js");\n'}, "import"),
        ({"a.js": "export default 1;\n"}, "export default"),
        ({"a.js": "export let counter = 0;\n"}, "export let"),
        ({"a.js": "const b = 1;\nexport { b };\n"}, "export { b }"),
        ({"a.js": "await 1;\n"}, "await"),
    ],
)
def test_modules_that_can_not_be_joined_are_refused(modules: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        joined("a.js", modules.__getitem__)


@pytest.mark.parametrize("entry", ENTRIES)
def test_scripts_of_pages_are_valid_and_end_no_element(entry: str, tmp_path: Path) -> None:
    script = joined(entry)
    (tmp_path / "joined.cjs").write_text(script, encoding="utf-8")
    done = run("--check", str(tmp_path / "joined.cjs"))
    assert done.returncode == 0, done.stderr
    assert "</script" not in script
    assert "<!--" not in script


def test_every_module_belongs_to_a_page() -> None:
    scripts = "".join(map(joined, ENTRIES))
    modules = {path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.js")}
    assert {module for module in modules if f'$modules["{module}"] = ' not in scripts} == set()
