"""Git over smart HTTP: who may, then ``git http-backend``, then what the push means.

Protocol versions 0 to 2, gzip and chunked bodies, answers streamed. Dumb HTTP is not offered; GitHub does not either.
Sources: git-http-backend(1), gitprotocol-http(5), https://docs.github.com/get-started/git-basics/about-remote-repositories.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from typing import IO, BinaryIO, cast

from werkzeug.wrappers import Request, Response

from stackr.sandbox import accounts, aftermath, hooks, pktline
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError
from stackr.sandbox.git import RefMove
from stackr.sandbox.gitrun import environment
from stackr.sandbox.log import Entry
from stackr.sandbox.model import ZERO_OID, Repository, User
from stackr.sandbox.request import credentials

SERVICES = ("upload-pack", "receive-pack")
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
    body = _body(request)
    if entry.service == "receive-pack" and entry.step == "rpc":
        return _push(engine, request, entry, user, repo, body)
    return _run(engine, request, repo, user, body, {})


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
    response = _run(engine, request, repo, user, body, env)
    data = response.get_data()
    response.set_data(pktline.reword_report(data, reasons))
    with engine.transaction():
        moved = git.sync(move.name for move in moves)
        entry.refs.extend(_logged(engine, repo, moved))
        aftermath.refs_moved(engine, repo, user, moved)
    return response


def _logged(engine: Engine, repo: Repository, moves: list[RefMove]) -> list[dict[str, str]]:
    graph = engine.git(repo).graph
    found = []
    for move in moves:
        exists = ZERO_OID not in (move.old, move.new) and move.branch is not None
        forced = exists and not graph.is_ancestor(move.old, move.new)
        found.append({"name": move.name, "old": move.old, "new": move.new, "forced": "yes" if forced else "no"})
    return found


def _cgi(engine: Engine, request: Request, repo: Repository, user: User | None) -> dict[str, str]:
    kind = request.path.rsplit("/", 2 if request.path.endswith("/info/refs") else 1)
    rest = request.path[len(kind[0]) :]
    env = {
        "GIT_PROJECT_ROOT": str(engine.root / "repos"),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{engine.directory(repo).relative_to(engine.root / 'repos')}{rest}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.query_string.decode("latin-1"),
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "GATEWAY_INTERFACE": "CGI/1.1",
        "REMOTE_ADDR": request.remote_addr or "127.0.0.1",
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
    }
    if user is not None:
        env["REMOTE_USER"] = user.login
    return env


def _run(
    engine: Engine,
    request: Request,
    repo: Repository,
    user: User | None,
    body: IO[bytes],
    hook_env: dict[str, str],
) -> Response:
    """One ``git http-backend``; its answer is streamed."""
    env = environment({**_cgi(engine, request, repo, user), **hook_env})
    options = ["-c", f"core.hooksPath={hook_env['SANDBOX_HOOKS']}"] if hook_env else []
    body.fileno()  # a spooled file becomes a real one, which a process can read
    body.seek(0)
    process = subprocess.Popen(
        ["git", *options, "http-backend"],
        env=env,
        stdin=body,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    body.close()
    out = cast(IO[bytes], process.stdout)
    status, headers = _cgi_headers(out)
    return Response(_stream(process, out), status, headers)


def _cgi_headers(out: IO[bytes]) -> tuple[int, list[tuple[str, str]]]:
    status, headers = 200, []
    while line := out.readline().decode("latin-1").strip():
        name, _, value = line.partition(":")
        if name.lower() == "status":
            status = int(value.split()[0])
        else:
            headers.append((name, value.strip()))
    return status, headers


def _stream(process: subprocess.Popen[bytes], out: IO[bytes]) -> Iterator[bytes]:
    try:
        while data := out.read1(65536):  # type: ignore[attr-defined]
            yield data
    finally:
        out.close()
        process.wait(timeout=60)
