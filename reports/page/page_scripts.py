"""The scripts of pages: ES modules of reports/templates, joined into one script each.

An offline page can't import files, so its modules are joined as they import each other. Each module's body becomes a
function, whose exports the others read: names of different modules can't collide, and none is global. Named imports of
relative paths, and exports of functions, classes and constants at their declaration are all that modules may use.
"""

import base64
import hashlib
import posixpath
import re
from collections.abc import Callable
from typing import NamedTuple

from nonocensus.reports.page.templating import source

IMPORT = re.compile(r'^import \{ (\w+(?:, \w+)*) \} from "(\.[\w./]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+)\b)", re.MULTILINE)
OTHER = re.compile(r"^(?:import\b|export\b|await\b).*|\bimport[(.].*", re.MULTILINE)
"""What else only modules may hold, which is not supported."""


class ScriptModule(NamedTuple):
    """A module: its body, the names that it imports by module, and those that it exports."""

    body: str
    imports: dict[str, list[str]]
    exports: list[str]


def parse_module(path: str, text: str) -> ScriptModule:
    """Parse a module at a path in reports/templates. Raises ValueError for what can't be joined."""
    folder = posixpath.dirname(path)
    imports: dict[str, list[str]] = {}
    for names, other in IMPORT.findall(text):
        imports.setdefault(posixpath.normpath(posixpath.join(folder, other)), []).extend(names.split(", "))
    body = EXPORT.sub("", IMPORT.sub("", text))
    if found := OTHER.search(body):
        raise ValueError(f"{path}: {found[0].strip()!r} can't be joined; see reports/page/page_scripts.py")
    return ScriptModule(body, imports, EXPORT.findall(text))


def joined(entry: str, read: Callable[[str], str] = source) -> str:
    """Return one script that runs a module of reports/templates after the modules that it imports.

    `read` returns the text of a module by its path. Raises ValueError for a name that is not exported, and for modules
    that import each other in a circle.
    """
    modules: dict[str, ScriptModule] = {}  # in the order in which they run

    def visit(path: str, importers: tuple[str, ...]) -> ScriptModule:
        if path in importers:
            raise ValueError(f"modules import each other: {' -> '.join((*importers, path))}")
        if path not in modules:
            module = parse_module(path, read(path))
            for other, names in module.imports.items():
                if unknown := set(names) - set(visit(other, (*importers, path)).exports):
                    raise ValueError(f"{path}: {other} does not export {', '.join(sorted(unknown))}")
            modules[path] = module
        return modules[path]

    visit(entry, ())
    parts = "".join(_function(path, module) for path, module in modules.items())
    return f'(() => {{\n"use strict";\nconst $modules = {{}};\n{parts}}})();\n'


def _function(path: str, module: ScriptModule) -> str:
    """Return a module as a function that is called at once; its exports are kept in `$modules`."""
    imports = "".join(
        f'const {{ {", ".join(names)} }} = $modules["{other}"];\n' for other, names in module.imports.items()
    )
    exports = f"return {{ {', '.join(module.exports)} }};\n" if module.exports else ""
    return f'$modules["{path}"] = (() => {{\n{imports}{module.body}{exports}}})();\n'


def content_hash(script: str) -> str:
    """Return a script's source expression for a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
