"""Git over smart HTTP: who may, then git's own program for the service, then what the push means.

It is what ``git http-backend`` does, without the two processes that it takes besides.

Protocol versions 0 to 2, gzip and chunked bodies, answers streamed. Dumb HTTP is not offered; GitHub does not either.
Sources: gitprotocol-http(5), git-http-backend(1), https://docs.github.com/get-started/git-basics/about-remote-repositories.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from typing import IO, BinaryIO, cast

from werkzeug.wrappers import Request, Response

from stackr.sandbox import accounts, hooks, latepushes, pktline
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.git import RefMove
from stackr.sandbox.gitrun import environment
from stackr.sandbox.log import Entry
from stackr.sandbox.model import ZERO_OID, Repository, User
from stackr.sandbox.request import credentials

SERVICES = ("upload-pack", "receive-pack")
_NEVER_CACHED = {
    "Expires": "Fri, 01 Jan 1980 00:00:00 GMT",
    "Pragma": "no-cache",
    "Cache-Control": "no-cache, max-age=0, must-revalidate",
}
_IN_MEMORY = 1 << 20


def classify(method: str, path: str, query_service: str | None) -> Entry | None:
    """The log entry of a git request; None if it is none."""
    if method == "GET" and path.endswith("/info/refs"):
        service = (query_service or "").removeprefix("git-")
        return Entry("git", method, path, service=service or None, step="advertise")
    for service in SERVICES:
        if method == "POST" and path.endswith(f"/git-{service}"):
            return Entry("git", method, path, service=service, step="rpc")
    return None


def handle(engine: Engine, request: Request, entry: Entry) -> Response:
    """Answer a git request. Refusals are plain text, as git shows them."""
    try:
        user, repo = _allowed(engine, request, entry)
    except ApiError as error:
        return Response(error.message + "\n", error.status, error.headers, mimetype="text/plain")
    if entry.service not in SERVICES:
        return Response("Please upgrade your git client.\n", 403, mimetype="text/plain")
    if entry.step == "rpc" and request.headers.get("Content-Type") != f"application/x-git-{entry.service}-request":
        return Response("Unsupported Media Type\n", 415, mimetype="text/plain")
    body = _body(request)
    if entry.service == "receive-pack" and entry.step == "rpc":
        return _push(engine, request, entry, user, repo, body)
    return _run(engine, request, entry, repo, body, {})


def _allowed(engine: Engine, request: Request, entry: Entry) -> tuple[User | None, Repository]:
    """Who it is and which repository; 401 to ask for a token, 403 for no write access, 404 for no access."""
    token = credentials(request.headers.get("Authorization"))
    user = None
    if token is not None:
        try:
            user, row = accounts.authenticate(engine, token)
        except ApiError as error:
            raise _ask("Invalid username or token.") from error
        entry.user = user.login
        if row.sso_required:
            raise ApiError(
                403,
                "ERROR: The organization has enabled or enforced SAML SSO.\n"
                f"To access this repository, visit {engine.url}/orgs/sso and try your request again.",
            )
    owner, name = request.path.strip("/").split("/")[:2]
    repo = accounts.find_repository(engine, owner, name.removesuffix(".git"))
    if repo is None or not accounts.may(engine, user, repo, "read"):
        raise ApiError(404, "Repository not found.") if user else _ask("Repository not found.")
    if entry.service == "receive-pack":
        if user is None:
            raise _ask("Authentication required")
        if repo.archived:
            raise ApiError(403, "This repository was archived so it is read-only.")
        if not accounts.may(engine, user, repo, "write"):
            raise ApiError(403, f"Permission to {owner}/{repo.name}.git denied to {user.login}.")
    return user, repo


def _ask(message: str) -> ApiError:
    return ApiError(401, message, headers={"WWW-Authenticate": 'Basic realm="GitHub"'})


def _body(request: Request) -> IO[bytes]:
    """The body as a file, unpacked: git compresses long negotiations."""
    body = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed by the answer
    source = request.stream
    if request.headers.get("Content-Encoding") in {"gzip", "x-gzip"}:
        source = cast(BinaryIO, gzip.GzipFile(fileobj=source))
    shutil.copyfileobj(source, body)
    body.seek(0)
    return cast(IO[bytes], body)


def _push(
    engine: Engine, request: Request, entry: Entry, user: User | None, repo: Repository, body: IO[bytes]
) -> Response:
    """Let git take the push, then settle what moved. GitHub's words replace git's for a broken rule."""
    moves = pktline.push_commands(cast(BinaryIO, body))
    body.seek(0)
    with engine.lock:
        git = engine.git(repo)  # opened before refs move, or it could not tell that they did
        env, reasons = hooks.hook_environment(engine, repo, user, moves)
    response = _run(engine, request, entry, repo, body, env)
    data = response.get_data()
    response.set_data(pktline.reword_report(data, reasons))
    with engine.transaction():
        moved = git.sync(move.name for move in moves)
        entry.refs.extend(_logged(engine, repo, moved))
        latepushes.pushed(engine, repo, user, moved)
    return response


def _logged(engine: Engine, repo: Repository, moves: list[RefMove]) -> list[dict[str, str]]:
    graph = engine.git(repo).graph
    found = []
    for move in moves:
        exists = ZERO_OID not in (move.old, move.new) and move.branch is not None
        forced = exists and not graph.is_ancestor(move.old, move.new)
        found.append({"name": move.name, "old": move.old, "new": move.new, "forced": "yes" if forced else "no"})
    return found


def _run(
    engine: Engine, request: Request, entry: Entry, repo: Repository, body: IO[bytes], hook_env: Mapping[str, str]
) -> Response:
    """One ``git upload-pack`` or ``git receive-pack``; its answer is streamed."""
    options = ["-c", f"core.hooksPath={hook_env['SANDBOX_HOOKS']}"] if hook_env else []
    is_advertising = entry.step == "advertise"
    step = ["--advertise-refs"] if is_advertising else []
    body.fileno()  # a spooled file becomes a real one, which a process can read
    body.seek(0)
    process = subprocess.Popen(
        ["git", *options, str(entry.service), "--stateless-rpc", *step, str(engine.directory(repo))],
        env=environment({"GIT_PROTOCOL": request.headers.get("Git-Protocol", ""), **hook_env}),
        stdin=body,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    body.close()
    answer = _stream(process, cast(IO[bytes], process.stdout), _announcement(request, entry) if is_advertising else b"")
    kind = f"application/x-git-{entry.service}-{'advertisement' if is_advertising else 'result'}"
    return Response(answer, 200, _NEVER_CACHED, content_type=kind)


def _announcement(request: Request, entry: Entry) -> bytes:
    """What precedes the refs in versions 0 and 1 of the protocol (gitprotocol-http(5), "Discovering References")."""
    if "version=2" in request.headers.get("Git-Protocol", "").split(":"):
        return b""
    return pktline.packet(f"# service=git-{entry.service}\n".encode()) + pktline.FLUSH


def _stream(process: subprocess.Popen[bytes], out: IO[bytes], first: bytes) -> Iterator[bytes]:
    try:
        yield first
        while data := out.read1(65536):  # type: ignore[attr-defined]
            yield data
    finally:
        out.close()
        process.wait(timeout=60)
