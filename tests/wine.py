"""wick.exe under Wine: an environment of its own, that is gone when it is closed.

Wine starts a server for each place of its files, which takes seconds; so one place is used for all
runs, and its server stays until close(). The machine's files are drive Z:, which is the current
one, so that paths are good as they are.
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


class Wine:
    def __init__(self, wick):
        self.folder = tempfile.TemporaryDirectory(prefix="wick-wine-")
        home = pathlib.Path(self.folder.name)
        self.bin = home / "bin"
        self.variables = {
            "WINEPREFIX": str(home / "prefix"), "WINEDEBUG": "-all", "TMPDIR": str(home / "tmp"),
            # No window, no browser, no .NET: nothing of it is needed, and it is slow to set up.
            "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe=", "DISPLAY": "",
        }
        for folder in (self.bin, home / "tmp"):
            folder.mkdir()
        script = self.bin / "wick"
        lines = [f"export {name}='{value}'" for name, value in self.variables.items()]
        script.write_text("\n".join(["#!/bin/sh", *lines, f'exec wine {wick} "$@"', ""]))
        script.chmod(0o755)
        self.run("wineserver", "-p")
        self.run(script, "--version")

    def run(self, *words):
        subprocess.run(words, env=os.environ | self.variables, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self):
        """Ends the server that was started here, and no other: it is that of our own place."""
        self.run("wineserver", "-k")
        self.run("wineserver", "-w")
        self.folder.cleanup()
