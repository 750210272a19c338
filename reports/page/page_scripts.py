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

from nonocensus.reports.page.templating import source

IMPORT = re.compile(r'^import \{ (\w+(?:, \w+)*) \} from "(\.[\w./]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+)\b)", re.MULTILINE)
OTHER = re.compile(r"^(?:import\b|export\b|await\b).*|\bimport[(.].*", re.MULTILINE)
"""What else only modules may hold, which is not supported."""


def join_modules(entry: str, read: Callable[[str], str] = source) -> str:
    """Return one script that runs a module of reports/templates after the modules that it imports.

    `read` returns the text of a module by its path. Raises ValueError for what can't be joined. That imported names are
    exported, and that modules don't import each other in a circle, is for oxlint to check.
    """
    parts: dict[str, str] = {}  # by path, in the order in which they run

    def add(path: str) -> None:
        """Add a module as a function that is called at once, and whose exports are kept in `$modules`."""
        if path in parts:
            return
        text = read(path)
        imports = []
        for names, relative in IMPORT.findall(text):
            other = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))
            add(other)
            imports.append(f'const {{ {names} }} = $modules["{other}"];\n')
        body = EXPORT.sub("", IMPORT.sub("", text))
        if found := OTHER.search(body):
            raise ValueError(f"{path}: {found[0].strip()!r} can't be joined; see reports/page/page_scripts.py")
        exports = f"return {{ {', '.join(EXPORT.findall(text))} }};\n"
        parts[path] = f'$modules["{path}"] = (() => {{\n{"".join(imports)}{body}{exports}}})();\n'

    add(entry)
    return f'(() => {{\n"use strict";\nconst $modules = {{}};\n{"".join(parts.values())}}})();\n'


def content_hash(script: str) -> str:
    """Return a script's source expression for a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
