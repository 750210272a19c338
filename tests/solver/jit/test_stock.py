"""Stock mode: kernels by Numba's public interface alone, for versions whose private parts are not tested."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

pytestmark = [
    pytest.mark.unchecked,
    pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled"),
]

KERNEL = """
import logging, os, sys
logging.getLogger("nonocensus").addHandler(logging.StreamHandler())
import numba
numba.__version__ = VERSION
from nonocensus.solver.jit.kernel import inlined, kernel, standalone
from nonocensus.solver.jit.kernel_cache import STOCK, cache_folder
from nonocensus.solver.lines import bits, lanes

{text}
private = ("dispatchers", "compilers", "calling", "kernel_files")
print(STOCK, [name for name in private if f"nonocensus.solver.jit.{{name}}" in sys.modules])
"""

WORK = """
from doubling import triple
print(triple(14), "index" if list(cache_folder().rglob("*.nbi")) else "no index")
"""

DOUBLING = """
from nonocensus.solver.jit.kernel import inlined, kernel, standalone

@inlined
def double(x):
    return 2 * x

@standalone
def triple(x):
    return double(x) + x
"""


def printed(tmp_path: Path, version: str, text: str = "", **environment: str) -> tuple[list[str], str]:
    """Return the output lines and errors of a process with another version of Numba, by its name."""
    (tmp_path / "doubling.py").write_text(DOUBLING)
    code = KERNEL.format(text=text).replace("VERSION", repr(version))
    given = {name: value for name, value in os.environ.items() if name != "NONOCENSUS_STOCK"}
    given |= {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", code], env=given | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines(), done.stderr


def test_other_version_runs_in_stock_mode_with_one_line(tmp_path: Path) -> None:
    output, errors = printed(tmp_path, "0.99.0", WORK)
    assert output == ["42 index", "True []"]
    assert errors == (
        "Numba 0.99.0 is none of the tested versions (0.68): kernels are compiled by its public interface, and slower\n"
    )


def test_stock_mode_can_be_chosen(tmp_path: Path) -> None:
    """Without a warning: child processes inherit it."""
    assert printed(tmp_path, numba.__version__, WORK, NONOCENSUS_STOCK="1") == (["42 index", "True []"], "")


def test_kernels_are_not_bundled_in_stock_mode(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as error:
        printed(tmp_path, numba.__version__, NONOCENSUS_STOCK="1", NONOCENSUS_PORTABLE="1")
    assert error.value.stderr.startswith("NONOCENSUS_PORTABLE: kernels are bundled by tested versions of Numba only")
