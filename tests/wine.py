"""wick.exe under Wine: an environment of its own, that is gone when it is closed.

Wine starts a server for each place of its files, which takes seconds; so one place is used for all
runs, and its server stays until close(). The machine's files are drive Z:, which is the current
one, so that paths are good as they are.

The server and the services beside it must be there before the first test: a program that has to
start them hands them its standard streams, and whoever reads those waits for their end.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile


def missing(wick):
    """What is not there, or None."""
    if not wick.exists():
        return "there is no wick.exe: ./do windows builds it"
    for program in ("wine", "wineserver"):
        if not shutil.which(program):
            return f"{program} is not installed"
    return None


def fixing():
    """Words in front of a program that gives it the same addresses each time; none where that may
    not be.

    Wine needs the page 0x7ffe0000 and, in Debian, nothing keeps it free: where addresses are drawn
    by lot, one program in some thousands has its heap there. Such a one ends before it has begun,
    with exit code 1 and the words "failed to map the shared user data".
    """
    words = ["setarch", "-R"]
    try:
        done = subprocess.run([*words, "true"], stderr=subprocess.DEVNULL)
    except OSError:
        return []
    return [] if done.returncode else words


class Wine:
    def __init__(self, wick):
        self.folder = tempfile.TemporaryDirectory(prefix="wick-wine-")
        home = pathlib.Path(self.folder.name)
        self.bin = home / "bin"
        self.drive_c = home / "prefix" / "drive_c"
        self.variables = {
            "WINEPREFIX": str(home / "prefix"), "TMPDIR": str(home / "tmp"),
            # Silent, but for why a program could not begin (see fixing).
            "WINEDEBUG": "-all,err+virtual",
            # No window, no browser, no .NET: nothing of it is needed, and it is slow to set up.
            "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe=", "DISPLAY": "",
        }
        # A server is not started for a place that is not there.
        for folder in (self.bin, home / "tmp", home / "prefix"):
            folder.mkdir()
        script = self.bin / "wick"
        lines = [f"export {name}='{value}'" for name, value in self.variables.items()]
        start = " ".join(["exec", *fixing(), "wine", str(wick)])
        script.write_text("\n".join(["#!/bin/sh", *lines, f'{start} "$@"', ""]))
        script.chmod(0o755)
        self.run("wineserver", "-p")
        self.run(script, "--version")

    def run(self, *words):
        subprocess.run(words, env=os.environ | self.variables, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    def close(self):
        """Ends the server that was started here, and no other: it is that of our own place."""
        self.run("wineserver", "-k")
        self.run("wineserver", "-w")
        self.folder.cleanup()
