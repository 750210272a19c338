"""What all tests share."""

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A machine may be busy with other jobs: no test is judged by its time.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

# In the background of a shell Ctrl-C is ignored, and would be by the commands that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real inputs beside the checkout; tests that need it are skipped where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real inputs of ../shared/data are not here")
    return folder
