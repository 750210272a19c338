"""Machines as namespaces of this one: each with its own address, host name, processes, /tmp, home and /dev/shm.

Nothing outlives the tests, even if they are killed: a machine's first process ends when its standard input closes, the
kernel ends the machine's other processes with it, and a namespace without processes loses its mounts and interfaces.
"""

import shlex
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[1]

NETWORK = "198.51.100"
"""Reserved for documentation (RFC 5737): no route of this machine leads there."""

ADDRESSES = {"first": f"{NETWORK}.11", "second": f"{NETWORK}.12"}
"""By host name."""

SPACES = ["--net", "--mount", "--uts", "--pid"]

SETUP = f"""set -e
cd {shlex.quote(str(ROOT))}
mount -t tmpfs -o size=$2 none /tmp
mount -t tmpfs none /dev/shm
[ -d "$PWD" ] || {{ mkdir -p "$PWD"; mount --no-canonicalize --bind . "$PWD"; }}
mkdir /tmp/home
hostname $1
printf '127.0.0.1 localhost\\n{ADDRESSES["first"]} first\\n{ADDRESSES["second"]} second\\n' > /dev/shm/hosts
mount --bind /dev/shm/hosts /etc/hosts
ip link set lo up
echo ready
cat
:"""
"""A machine's first process, given its name and the size of /tmp. A shell that waits for `cat` reaps orphans too."""


def obstacle() -> str:
    """Return why machines can't be made here; an empty string if they can."""
    missing = [name for name in ("unshare", "nsenter", "ip", "tc") if not shutil.which(name)]
    if missing:
        return f"no program {missing[0]}"
    made = subprocess.run(["unshare", *SPACES, "--fork", "true"], capture_output=True, text=True, check=False)
    return made.stderr.strip()


def run(*command: str) -> str:
    """Run a command; returns what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
    return done.stdout


class Machine:
    """A set of namespaces and its processes.

    name         host name
    environment  of each command
    disk         size of its /tmp in MiB
    """

    def __init__(self, name: str, environment: dict[str, str], disk: int = 2048) -> None:
        self.name = name
        self.environment = environment | {"HOME": "/tmp/home", "TMPDIR": "/tmp"}
        setup = ["sh", "-c", SETUP, "sh", name, f"{disk}m"]
        spaces = ["unshare", *SPACES, "--fork", "--kill-child", "--mount-proc"]
        self._spaces = subprocess.Popen([*spaces, *setup], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._spaces.stdout is not None
        assert self._spaces.stdout.readline() == b"ready\n"
        (self.init,) = psutil.Process(self._spaces.pid).children()

    def command(self, *command: str) -> list[str]:
        """Return the command that runs a command on this machine."""
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        return ["nsenter", "--target", str(self.init.pid), *SPACES, "env", *variables, *command]

    def run(self, *command: str) -> str:
        """Run a command; returns what it printed."""
        return run(*self.command(*command))

    def start(self, *command: str, **options: Any) -> psutil.Popen:
        """Start a command."""
        return psutil.Popen(self.command(*command), **options)

    def signal(self, number: signal.Signals) -> None:
        """Signal all processes but the first."""
        mine = Path(f"/proc/{self.init.pid}/ns/pid").readlink()
        for process in psutil.process_iter():
            with suppress(OSError, psutil.Error):
                if process != self.init and Path(f"/proc/{process.pid}/ns/pid").readlink() == mine:
                    process.send_signal(number)

    def close(self) -> None:
        """End the machine's processes and, with them, its namespaces."""
        self._spaces.kill()
        self._spaces.communicate()


class Switch(Machine):
    """A bridge between machines and the process that runs the tests, whose address is `here`."""

    here = f"{NETWORK}.1"

    def __init__(self) -> None:
        super().__init__("switch", {})
        inside = ["peer", "name", "here", "netns", str(self.init.pid)]
        run("ip", "link", "add", "nonocensus-test", "type", "veth", *inside)  # it vanishes with its peer
        run("ip", "address", "add", f"{self.here}/24", "dev", "nonocensus-test")
        run("ip", "link", "set", "nonocensus-test", "up")
        self.run("ip", "link", "add", "bridge", "up", "type", "bridge")
        self.run("ip", "link", "set", "here", "up", "master", "bridge")

    def plug_in(self, machine: Machine) -> None:
        """Connect a machine; the switch's end of the cable has its name."""
        inside = ["peer", "name", "eth0", "netns", str(machine.init.pid)]
        self._link("add", machine.name, "up", "master", "bridge", "type", "veth", *inside)
        machine.run("ip", "address", "add", f"{ADDRESSES[machine.name]}/24", "dev", "eth0")
        machine.run("ip", "link", "set", "eth0", "up")

    def unplug(self, machine: Machine) -> None:
        """End a machine like a power cut: its connections are not closed, they fall silent."""
        self._link("delete", machine.name)
        machine.close()

    def switch_cable(self, machine: Machine, state: str) -> None:
        """Set the cable of a machine `up` or `down`."""
        self._link("set", machine.name, state)

    def _link(self, *arguments: str) -> None:
        """Call `ip link` in the switch's network, but among this process's process numbers."""
        run("nsenter", "--target", str(self.init.pid), "--net", "ip", "link", *arguments)
