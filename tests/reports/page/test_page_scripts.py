"""Joined modules do what node does with the same modules, and what can't be joined is refused."""

from pathlib import Path

import pytest
from nodejs import run

from nonocensus.reports.page.page_scripts import join_modules

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
    (tmp_path / "joined.cjs").write_text(join_modules("main.js", MODULES.__getitem__))
    apart, together = (run(str(tmp_path / name)) for name in ("main.js", "joined.cjs"))
    assert together.stdout == apart.stdout == 'words, once\none\ntwo\n["one!","one!","two!?"]\n'
    assert (apart.stderr, together.stderr) == ("", "")


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ('import * as b from "./b.js";\n', "import"),
        ('import { b as c } from "./b.js";\n', "import"),
        ('import { b } from "other";\n', "import"),
        ('const b = () => import("./b.js");\n', "import"),
        ("export default 1;\n", "export default"),
        ("export let counter = 0;\n", "export let"),
        ("const b = 1;\nexport { b };\n", "export { b }"),
        ("await 1;\n", "await"),
    ],
)
def test_modules_that_can_not_be_joined_are_refused(module: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        join_modules("a.js", lambda _: module)


@pytest.mark.parametrize("entry", ENTRIES)
def test_scripts_of_pages_are_valid_and_end_no_element(entry: str, tmp_path: Path) -> None:
    script = join_modules(entry)
    (tmp_path / "joined.cjs").write_text(script, encoding="utf-8")
    done = run("--check", str(tmp_path / "joined.cjs"))
    assert done.returncode == 0, done.stderr
    assert "</script" not in script
    assert "<!--" not in script


def test_every_module_belongs_to_a_page() -> None:
    scripts = "".join(map(join_modules, ENTRIES))
    modules = {path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.js")}
    assert {module for module in modules if f'$modules["{module}"] = ' not in scripts} == set()
