"""The command line `tco-agent`: run, env, upload."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tco_agent import __version__
from tco_agent.agent_token import TOKEN_VARIABLE, others_can_read, read_token
from tco_agent.document import Document, build_document, to_bytes, uuid7, with_sent_at
from tco_agent.drain import Drained, drain
from tco_agent.environment import COLLECTED
from tco_agent.errors import AgentError, ExitCode
from tco_agent.profiles import PROFILES
from tco_agent.progress import Progress
from tco_agent.spool import Spool
from tco_agent.state import (
    State,
    default_state_dir,
    locked,
    make_private_dir,
    read_state,
    write_state,
)
from tco_agent.suite import environment_only, measure
from tco_agent.torch_import import NO_TORCH, require_torch, torch_is_installed
from tco_agent.upload import Uploader, endpoint, sends_token_in_clear

URL_VARIABLE = "TCO_AGENT_URL"
MOST_LABEL = 100
EXIT_CODES = """exit codes:
  0 done   2 wrong arguments   3 torch is missing   4 nothing could be measured
  5 not uploaded, kept for later   6 the server refused a run   7 token missing or refused
  8 state directory in use or not writable   130 interrupted"""


def parser() -> argparse.ArgumentParser:
    """The arguments; a token is never one of them, because others can read arguments."""
    top = argparse.ArgumentParser(
        prog="tco-agent",
        description="Measure the AI throughput of this machine and upload the raw timings.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"tco-agent {__version__}")
    commands = top.add_subparsers(dest="command", required=True)

    run = commands.add_parser("run", help="measure, and upload or keep the run")
    run.add_argument("--profile", choices=sorted(PROFILES), help="default: quick; dry run: canary")
    run.add_argument("--dry-run", action="store_true", help="print the document, send nothing")
    run.add_argument("--upload", metavar="URL", help="address of the site")
    run.add_argument("--label", type=_label, help="a name for this machine; sent as it is")
    run.add_argument("--output", metavar="FILE", type=Path, help="also write the document here")
    _add_common(run)

    env = commands.add_parser("env", help="show what would be collected; sends nothing")
    env.add_argument("--label", type=_label)

    upload = commands.add_parser("upload", help="send the runs that wait")
    upload.add_argument("spool", nargs="?", type=Path, metavar="SPOOL", help="a state directory")
    upload.add_argument(
        "--upload", metavar="URL", default=os.environ.get(URL_VARIABLE), help=f"or {URL_VARIABLE}"
    )
    _add_common(upload)
    return top


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--token-file", type=Path, metavar="FILE")
    command.add_argument("--token-stdin", action="store_true", help="read the token from stdin")
    command.add_argument("--retry-for", type=_seconds, default=60.0, metavar="SECONDS")
    command.add_argument("--state-dir", type=Path, metavar="DIR")
    command.add_argument("--json", action="store_true", help="progress and result as JSON lines")


def _label(text: str) -> str:
    if not text.isprintable() or not 0 < len(text) <= MOST_LABEL:
        raise argparse.ArgumentTypeError(f"1 to {MOST_LABEL} printable characters")
    return text


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 86_400:
        raise argparse.ArgumentTypeError("0 to 86400 seconds")
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    arguments = parser().parse_args(argv)
    progress = Progress(as_json=getattr(arguments, "json", False))
    try:
        if arguments.command == "run":
            return _run(arguments, progress)
        if arguments.command == "upload":
            return _upload(arguments, progress)
        return _env(arguments)
    except AgentError as error:
        progress.note(f"tco-agent: {error}")
        return int(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        return int(ExitCode.INTERRUPTED)
    except KeyboardInterrupt:
        progress.note("tco-agent: interrupted; runs measured before are kept")
        return int(ExitCode.INTERRUPTED)


def _run(arguments: argparse.Namespace, progress: Progress) -> int:
    require_torch()
    if arguments.dry_run:
        return _dry_run(arguments, progress)
    uploader = _uploader(arguments, progress) if arguments.upload else None
    state_dir = arguments.state_dir or default_state_dir()
    make_private_dir(state_dir)
    spool = Spool(state_dir)
    with locked(state_dir):
        measured = measure(PROFILES[arguments.profile or "quick"], arguments.label, progress)
        document = _keep(measured, state_dir, spool, progress)
        _write_output(arguments.output, document)
        if uploader is None:
            progress.note(f"run {document['seq']} waits in {state_dir}; send it: tco-agent upload")
            drained = Drained(left=len(spool.entries()))
        else:
            drained = drain(spool, uploader, progress.note)
    _print_result(arguments, document, drained)
    return int(drained.exit_code)


def _dry_run(arguments: argparse.Namespace, progress: Progress) -> int:
    """Measure and print; no file of the state directory is created and nothing is sent."""
    if arguments.upload:
        progress.note("dry run: nothing is sent, --upload has no effect")
    state_dir = arguments.state_dir or default_state_dir()
    measured = measure(PROFILES[arguments.profile or "canary"], arguments.label, progress)
    state = read_state(state_dir)
    document = _assemble(measured, state, queued=len(Spool(state_dir).entries()))
    body = to_bytes(with_sent_at(document))
    sys.stdout.buffer.write(body + b"\n")
    sys.stdout.buffer.flush()
    _write_output(arguments.output, document)
    progress.note(f"{len(body)} bytes would be sent; fields: {', '.join(COLLECTED)}")
    return int(ExitCode.OK)


def _assemble(measured: dict[str, Any], state: State, *, queued: int) -> Document:
    return build_document(
        run_id=uuid7(),
        seq=state.seq + 1,
        prev_sha256=state.last_sha256,
        spool={"queued": queued, "dropped_runs": state.dropped_runs},
        **measured,
    )


def _keep(measured: dict[str, Any], state_dir: Path, spool: Spool, progress: Progress) -> Document:
    """Give the run its place in the chain and store it before anything is sent.

    The spooled file comes first and the state after it: a crash between the two is repaired here
    at the next run, because the newest spooled run is then ahead of the state.
    """
    try:
        state = read_state(state_dir)
        newest = spool.newest()
        if newest is not None and newest[0] > state.seq:
            state = State(newest[0], newest[1], state.dropped_runs)
        dropped = spool.make_room()
        if dropped:
            progress.note(f"the spool was full: {dropped} old runs dropped")
            state = State(state.seq, state.last_sha256, state.dropped_runs + dropped)
        document = _assemble(measured, state, queued=len(spool.entries()))
        spool.add(document)
        digest = str(document["integrity"]["content_sha256"])
        write_state(state_dir, State(int(document["seq"]), digest, state.dropped_runs))
    except OSError as error:
        text = f"cannot keep the run in {state_dir}: {error.strerror}"
        raise AgentError(text, ExitCode.STATE) from None
    return document


def _upload(arguments: argparse.Namespace, progress: Progress) -> int:
    if not arguments.upload:
        raise AgentError(f"give the site's address: --upload URL or {URL_VARIABLE}", ExitCode.USAGE)
    uploader = _uploader(arguments, progress)
    state_dir = arguments.spool or arguments.state_dir or default_state_dir()
    if not state_dir.is_dir():
        raise AgentError(f"there is no state directory {state_dir}", ExitCode.STATE)
    with locked(state_dir):
        drained = drain(Spool(state_dir), uploader, progress.note)
    if not drained.runs:
        progress.note("no run waits")
    _print_result(arguments, None, drained)
    return int(drained.exit_code)


def _uploader(arguments: argparse.Namespace, progress: Progress) -> Uploader:
    """Address and token are checked before anything is measured."""
    address = endpoint(arguments.upload)
    token = read_token(arguments.token_file, from_stdin=arguments.token_stdin)
    if sends_token_in_clear(arguments.upload):
        progress.note("warning: http sends the token in clear text; use https")
    if arguments.token_file is not None and others_can_read(arguments.token_file):
        progress.note(f"warning: other users can read {arguments.token_file}; chmod 600 it")
    return Uploader(address, token, patience_s=arguments.retry_for, note=progress.note)


def _env(arguments: argparse.Namespace) -> int:
    installed = torch_is_installed()
    shown = environment_only(arguments.label, with_torch=installed)
    if not installed:
        shown["missing"] = NO_TORCH
    shown["fields"] = COLLECTED
    shown["token"] = f"from --token-file, --token-stdin or {TOKEN_VARIABLE}; never stored"
    print(json.dumps(shown, indent=2, ensure_ascii=False))
    return int(ExitCode.OK)


def _write_output(path: Path | None, document: Document) -> None:
    if path is None:
        return
    try:
        path.write_bytes(to_bytes(document))
    except OSError as error:
        raise AgentError(f"cannot write {path}: {error.strerror}", ExitCode.USAGE) from None


def _print_result(
    arguments: argparse.Namespace, document: Document | None, drained: Drained
) -> None:
    """The result on standard output: one JSON object with --json, else one line."""
    if arguments.json:
        result: dict[str, Any] = {
            "uploaded": drained.done,
            "rejected": drained.rejected,
            "waiting": drained.left,
            "runs": drained.runs,
        }
        if document is not None:
            result["run_id"] = document["run_id"]
            result["seq"] = document["seq"]
        print(json.dumps(result))
        return
    counts = f"{drained.done} uploaded, {drained.rejected} refused, {drained.left} waiting"
    print(counts if document is None else f"run {document['run_id']}: {counts}")
