"""A real PostgreSQL and a real local Spark, where they are installed."""

import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

OWNERS = ("postgres", "nobody")
"""Who may run PostgreSQL where the tests are run by root, which it refuses."""


def programs():
    """Return the directory of PostgreSQL's programs, or skip the test."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL is not installed (Debian package postgresql)")
    return found[-1].parent


def unprivileged():
    """Return the arguments with which a subprocess is not run by root."""
    if os.getuid() != 0:
        return {}
    known = [user.pw_name for user in pwd.getpwall()]
    return {"user": next(name for name in OWNERS if name in known)}


@contextmanager
def postgres():
    """Run a server of its own; gives ibis's arguments to connect, and its log."""
    binaries, who = programs(), unprivileged()
    home = Path(tempfile.mkdtemp(prefix="faircg-postgres-"))
    if who:
        shutil.chown(home, **who)
    data, log = home / "data", home / "log"
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": home, **who}
    try:
        started = [binaries / "initdb", "-D", data, "-U", "faircg", "-A", "trust"]
        subprocess.run([*started, "--no-sync"], **quiet)
        options = f"-k {home} -c listen_addresses= -c log_statement=all -c fsync=off"
        control = [binaries / "pg_ctl", "-D", data, "-l", log]
        subprocess.run([*control, "-w", "-o", options, "start"], **quiet)
        try:
            yield {"user": "faircg", "host": str(home), "database": "postgres"}, log
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **quiet)
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def spark():
    """Start a local session, or skip the test."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java (Debian package default-jre-headless)")
    builder = sql.SparkSession.builder.master("local[1]").appName("faircg")
    builder = builder.config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    try:
        yield session
    finally:
        session.stop()
