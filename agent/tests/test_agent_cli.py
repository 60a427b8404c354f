"""The command line, over a measurement that is already there."""

from __future__ import annotations

import io
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import RunServer

from tco_agent import __version__, cli
from tco_agent.document import content_sha256, from_bytes
from tco_agent.errors import AgentError, ExitCode
from tco_agent.spool import Spool
from tco_agent.state import State, locked, write_state
from tco_agent.torch_import import NO_TORCH

TOKEN = "bma_7_" + "k" * 43


@pytest.fixture
def profiles(monkeypatch: pytest.MonkeyPatch, measured: dict[str, Any]) -> list[str]:
    """The measurement at hand instead of a real one; the names of the profiles asked for."""
    asked: list[str] = []

    def instead(profile: Any, label: str | None, report: Any) -> dict[str, Any]:
        asked.append(profile.name)
        return {**measured, "profile": profile.name}

    monkeypatch.setattr(cli, "measure", instead)
    monkeypatch.setattr(cli, "require_torch", lambda: None)
    monkeypatch.delenv("TCO_AGENT_TOKEN", raising=False)
    return asked


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_dry_run_prints_the_document_and_sends_nothing(
    profiles: list[str],
    state_dir: Path,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    schema_errors: Callable[[object], list[str]],
) -> None:
    """Standard output holds the exact bytes, standard error their count; no socket, no file."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a dry run opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    arguments = ["run", "--dry-run", "--upload", "https://planner.example"]
    assert cli.main([*arguments, "--state-dir", str(state_dir)]) == 0
    out, err = capsysbinary.readouterr()
    document = from_bytes(out)
    assert schema_errors(document) == []
    assert content_sha256(document) == document["integrity"]["content_sha256"]
    assert f"{len(out) - 1} bytes would be sent".encode() in err
    assert profiles == ["canary"]
    assert not state_dir.exists()


def test_runs_form_a_chain(profiles: list[str], state_dir: Path) -> None:
    """Each run has the next number and the digest of the one before; a dry run takes none."""
    for _ in range(2):
        assert cli.main(["run", "--state-dir", str(state_dir)]) == 0
        assert cli.main(["run", "--dry-run", "--state-dir", str(state_dir)]) == 0
    spool = Spool(state_dir)
    first, second = (spool.read(entry) for entry in spool.entries())
    assert first is not None
    assert second is not None
    assert (first["seq"], first["prev_sha256"], first["profile"]) == (1, None, "quick")
    assert (second["seq"], second["prev_sha256"]) == (2, content_sha256(first))
    assert second["spool"]["queued"] == 1


def test_a_crash_between_spool_and_state_does_not_fork_the_chain(
    profiles: list[str], state_dir: Path
) -> None:
    """With the state one run behind the spool, the next run continues from the spool."""
    cli.main(["run", "--state-dir", str(state_dir)])
    write_state(state_dir, State())
    cli.main(["run", "--state-dir", str(state_dir)])
    first, second = (Spool(state_dir).read(entry) for entry in Spool(state_dir).entries())
    assert first is not None
    assert second is not None
    assert (second["seq"], second["prev_sha256"]) == (2, content_sha256(first))


def test_upload_sends_this_run_and_those_before(
    profiles: list[str],
    state_dir: Path,
    server: RunServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One waits, one is measured: both arrive in order, nothing waits, the verdict is shown."""
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    token.chmod(0o600)
    common = ["--state-dir", str(state_dir)]
    cli.main(["run", *common])
    capsys.readouterr()
    sent = ["run", "--upload", server.url, "--token-file", str(token), "--json", *common]
    assert cli.main(sent) == 0
    out, err = capsys.readouterr()
    assert [from_bytes(request.body)["seq"] for request in server.received] == [1, 2]
    result = json.loads(out)
    assert (result["uploaded"], result["waiting"], result["seq"]) == (2, 0, 2)
    assert result["runs"][1]["verdict"] == "trusted"
    assert all(json.loads(line)["event"] for line in err.splitlines())
    assert TOKEN not in out + err
    assert not any(TOKEN in path.read_text("latin-1") for path in state_dir.rglob("*.json"))


def test_a_kept_run_is_sent_by_the_next_upload(
    profiles: list[str],
    state_dir: Path,
    server: RunServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server is full, then has room: nothing is lost and nothing sent twice."""
    monkeypatch.setenv("TCO_AGENT_TOKEN", TOKEN)
    server.answers = [(503, {}, b""), (201, {}, b"{}")]
    common = ["--upload", server.url, "--retry-for", "0"]
    code = cli.main(["run", "--state-dir", str(state_dir), *common])
    assert code == ExitCode.NOT_UPLOADED
    assert cli.main(["upload", str(state_dir), *common]) == 0
    assert cli.main(["upload", str(state_dir), *common]) == 0
    assert len(server.received) == 2
    assert Spool(state_dir).entries() == []


def test_token_from_standard_input(
    profiles: list[str], state_dir: Path, server: RunServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first line is the token."""
    monkeypatch.setattr("sys.stdin", io.StringIO(TOKEN + "\n"))
    arguments = ["run", "--upload", server.url, "--token-stdin", "--state-dir", str(state_dir)]
    assert cli.main(arguments) == 0
    assert server.received[0].headers["Authorization"] == f"Bearer {TOKEN}"


def test_without_a_token_nothing_is_measured(
    profiles: list[str], state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 7 and one line that says where a token may come from."""
    arguments = ["run", "--upload", "https://planner.example", "--state-dir", str(state_dir)]
    assert cli.main(arguments) == ExitCode.TOKEN
    assert "--token-file" in capsys.readouterr().err
    assert profiles == []


def test_no_option_takes_a_token(capsys: pytest.CaptureFixture[str]) -> None:
    """There is no way to put a token into the arguments."""
    with pytest.raises(SystemExit) as caught:
        cli.main(["run", "--token", TOKEN])
    assert caught.value.code == ExitCode.USAGE
    capsys.readouterr()
    with pytest.raises(SystemExit):
        cli.main(["run", "--help"])
    assert "--token " not in capsys.readouterr().out


def test_without_torch_one_line_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3, one line with the version and the word CPU."""
    monkeypatch.setattr("tco_agent.torch_import.torch_is_installed", lambda: False)
    assert cli.main(["run", "--dry-run"]) == ExitCode.NO_TORCH
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [f"tco-agent: {NO_TORCH}"]
    assert "torch==2.13.0" in err
    assert "CPU build" in err


def test_env_without_torch_still_shows_the_machine(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It lists the fields and what is missing."""
    monkeypatch.setattr(cli, "torch_is_installed", lambda: False)
    assert cli.main(["env"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["devices"][0]["kind"] == "cpu"
    assert shown["env"]["torch"] is None
    assert shown["missing"] == NO_TORCH
    assert "results[]" in shown["fields"]


def test_a_second_run_at_the_same_time_is_told_so(
    profiles: list[str], state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It measures nothing, because both would disturb each other: exit code 8."""
    state_dir.mkdir()
    with locked(state_dir):
        assert cli.main(["run", "--state-dir", str(state_dir)]) == ExitCode.STATE
    assert "another tco-agent" in capsys.readouterr().err
    assert profiles == []


def test_a_state_directory_that_cannot_be_made_is_one_line(
    profiles: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file stands where the directory should be: exit code 8 and the option that helps."""
    (tmp_path / "file").write_text("")
    code = cli.main(["run", "--state-dir", str(tmp_path / "file" / "state")])
    assert code == ExitCode.STATE
    assert "--state-dir" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (AgentError("nothing could be measured: x", ExitCode.NOTHING_MEASURED), 4),
        (KeyboardInterrupt(), 130),
    ],
)
def test_an_end_without_a_run_keeps_the_state(
    profiles: list[str],
    state_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
) -> None:
    """An interrupted or empty run takes no number."""

    def fail(*args: object) -> None:
        raise error

    monkeypatch.setattr(cli, "measure", fail)
    assert cli.main(["run", "--state-dir", str(state_dir)]) == code
    assert not (state_dir / "state.json").exists()


def test_output_writes_the_document_to_a_file(
    profiles: list[str], state_dir: Path, tmp_path: Path
) -> None:
    """The file holds the same run that was kept."""
    file = tmp_path / "run.json"
    cli.main(["run", "--state-dir", str(state_dir), "--output", str(file), "--label", "rack 7"])
    [entry] = Spool(state_dir).entries()
    assert from_bytes(file.read_bytes()) == Spool(state_dir).read(entry)


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """`tco-agent --version`."""
    with pytest.raises(SystemExit) as caught:
        cli.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.strip() == f"tco-agent {__version__}"
