"""A release: what has to be in order before it is tagged, the files for others, and whether they work alone.

python -m tools.release wheel      names the wheel of `make wheel` for this kind of machine, and tries it with each
                                   Python that there is: no kernel is compiled
python -m tools.release dist       wheel and source archive into dist/, each installed into a new environment,
                                   where the demo runs far from this checkout (make dist)
python -m tools.release release    the same, once the version is in order; ends with what is left to do by hand
                                   (make release)
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from nonocensus.solver import __version__

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"

ASKED = "import nonocensus as nc; assert nc.solve([[1, 0], [1, 1]]).label == 'unique line'"
"""What the library is asked in the new environment."""

PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")
"""Those that a wheel with kernels is for."""

MACHINE = f"manylinux_2_17_{platform.machine()}"
"""Its platform. The wheels of Numba decide which glibc is needed; this one asks for none newer than pip does."""

PUZZLE = "width 2\nheight 2\n\nrows\n1\n2\n\ncolumns\n2\n1\n"

ONCE = (
    "once: GitHub, Settings: Pages from GitHub Actions; the environment pypi; private vulnerability reporting",
    "once: pypi.org, Publishing: trusted publisher of nonocensus, workflow release.yml, environment pypi",
)
"""What the first release needs of other sites, which no file here shows."""

NEEDED = (
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "Makefile",
    "constraints.txt",
    "tests/oracle.py",
    "configs/Dockerfile",
)
"""What is worth nothing if the source archive lacks it."""


def wrong_with(version: str, changelog: str, citation: str, tags: str) -> Iterator[str]:
    """Yield what keeps a version from being released, one per line.

    changelog, citation   the texts of CHANGELOG.md and CITATION.cff
    tags                  those that there are, one per line
    """
    sections = dict(re.findall(r"(?ms)^## (.+?)$(.*?)(?=^## |\Z)", changelog))
    if sections.get("Unreleased", "").strip():
        yield f"CHANGELOG.md: move the entries under Unreleased to a heading like ## {version} - 2026-12-31"
    dated = [re.fullmatch(rf"{re.escape(version)} - (\d{{4}}-\d\d-\d\d)", heading) for heading in sections]
    dates = [match[1] for match in dated if match]
    if not dates:
        yield f"CHANGELOG.md has no heading like ## {version} - 2026-12-31"
    if not re.search(rf"^version: {re.escape(version)}$", citation, re.MULTILINE):
        yield f"CITATION.cff: version differs from {version} in solver/__init__.py"
    if dates and f"date-released: {dates[0]}" not in citation.splitlines():
        yield f"CITATION.cff has another date than CHANGELOG.md's, {dates[0]}"
    if f"v{version}" in tags.split():
        yield f"v{version} is tagged already: raise the version in solver/__init__.py"


def left_to_do(version: str, project: str, site: str, citation: str) -> Iterator[str]:
    """Yield what only the repository's owner can do, in this order, one per line.

    project, site, citation   the texts of pyproject.toml, mkdocs.yml and CITATION.cff
    """
    if "\n[project.urls]" not in project:
        yield "once: the repository's and the site's address as [project.urls] in pyproject.toml"
    if not re.search(r"^site_url:", site, re.MULTILINE):
        yield "once: the site's address as site_url in mkdocs.yml; then README.md can link the sample report there"
    if not re.search(r"^repository-code:", citation, re.MULTILINE):
        yield "once: the repository's address as repository-code in CITATION.cff"
    if not re.search(r"^doi:", citation, re.MULTILINE):
        yield "once: zenodo.org, GitHub: turn the repository on before the first release, then doi: in CITATION.cff"
    yield from ONCE
    yield f"now: git tag -a v{version} -m 'nonocensus {version}' && git push origin v{version}"
    yield "then: approve the environment pypi, if asked; look at PyPI, the image, the site and the release on GitHub"


def build() -> tuple[Path, Path]:
    """Return the source archive and the wheel, made of that archive alone; as they come, nothing of a build before."""
    for old in (*DIST.glob("nonocensus-*.tar.gz"), *DIST.glob("nonocensus-*.whl")):
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    (source,), (wheel,) = DIST.glob("nonocensus-*.tar.gz"), DIST.glob("nonocensus-*.whl")
    names = subprocess.run(["tar", "-tzf", source], capture_output=True, text=True, check=True).stdout.splitlines()
    missing = [name for name in NEEDED if f"nonocensus-{__version__}/{name}" not in names]
    if missing:
        sys.exit(f"{source.name} lacks {', '.join(missing)}")
    return source, wheel


def try_it(package: Path, base: str = sys.executable, has_kernels: bool = False) -> None:
    """Install a package into a new environment of a Python, and do the main job with it in an empty folder.

    has_kernels   whether it brings the solver's kernels: then none may be compiled, for grades either
    """
    with TemporaryDirectory() as place:
        run(base, "-m", "venv", f"{place}/env")
        python, command = f"{place}/env/bin/python", f"{place}/env/bin/nonocensus"
        run(python, "-m", "pip", "install", "--quiet", "--constraint", str(ROOT / "constraints.txt"), str(package))
        said = run(command, "--version", folder=place)
        if said.split() != ["nonocensus", __version__]:
            sys.exit(f"{package.name} says that it is {said!r}, not {__version__}")
        Path(place, "solver.py").write_text("raise ImportError('of the user')\n")
        run(python, "-c", ASKED, folder=place)
        run(command, "demo", "--serial", "--out", "demo", folder=place)
        if not Path(place, "demo", "report", "report.html").exists():
            sys.exit(f"the demo of {package.name} left no report")
        if has_kernels:
            Path(place, "a.non").write_text(PUZZLE)
            run(command, "solve", "a.non", folder=place)
            if compiled := [file.name for file in Path(place, "cache").rglob("*-nonocensus.solver.*.nbc")]:
                sys.exit(f"{package.name} lacks kernels with {base}: {', '.join(compiled)}")
    print(f"{package.relative_to(ROOT)}: installed alone with {base}, it does the demo")


def name_machine() -> None:
    """Rename the wheel of `make wheel` for the machines that its kernels are for; others get that of `make dist`."""
    (wheel,) = DIST.glob("nonocensus-*.whl")
    run(sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", MACHINE, str(wheel))


def try_kernels() -> None:
    """Try the wheel of `make wheel` with each of PYTHONS that there is."""
    (wheel,) = DIST.glob("nonocensus-*.whl")
    for python in filter(shutil.which, PYTHONS):
        if subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0:
            try_it(wheel, python, has_kernels=True)


def run(*command: str, folder: str | None = None) -> str:
    """Return what a command prints, run where nothing of this checkout is found; ends the whole if it fails."""
    environment = surroundings() | ({} if folder is None else {"NUMBA_CACHE_DIR": f"{folder}/cache"})
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=environment, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def surroundings() -> dict[str, str]:
    """Return the environment, less what leads to this checkout."""
    own = {"PYTHONPATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE"}
    return {name: value for name, value in os.environ.items() if name not in own}


def git(*arguments: str) -> str:
    """Return what git prints of this checkout."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main(target: str) -> None:
    """Do what the command line asks for."""
    if target == "wheel":
        name_machine()
        try_kernels()
        return
    if target == "release":
        changelog, citation = ((ROOT / name).read_text() for name in ("CHANGELOG.md", "CITATION.cff"))
        wrong = list(wrong_with(__version__, changelog, citation, git("tag", "--list")))
        if git("status", "--porcelain"):
            wrong.append("there are changes that are not committed: git status")
        if wrong:
            sys.exit("\n".join(wrong))
    for package in build():
        try_it(package)
    if target == "release":
        texts = ((ROOT / name).read_text() for name in ("pyproject.toml", "mkdocs.yml", "CITATION.cff"))
        print("\n".join(["All is well. Left to do by hand:", *left_to_do(__version__, *texts)]))


if __name__ == "__main__":
    if sys.argv[1:] not in (["wheel"], ["dist"], ["release"]):
        sys.exit(__doc__)
    main(sys.argv[1])
