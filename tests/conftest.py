"""What all tests share."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A machine may be busy with other jobs: no test is judged by its time.
BUSY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", BUSY, derandomize=True, database=None)
settings.register_profile("explore", BUSY, print_blob=True)  # make test-explore; failures go into .hypothesis
settings.load_profile("same")

os.environ.pop("COLUMNS", None)  # tables and explanations are tested at the width of each test's terminal

# In the background of a shell Ctrl-C is ignored, and would be by the commands that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str) -> None:
    """End the run when a test process dies, as on a timeout: its stack is printed above."""
    pytest.exit(f"{crashitem} ended its process: it crashed or took longer than faulthandler_timeout", returncode=1)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real inputs next to the checkout; tests that need it are skipped without it."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real inputs of ../shared/data are not here")
    return folder
