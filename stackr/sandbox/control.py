"""The control API of tests and of people who play the colleague: ``/_sandbox/...``, loopback only.

The same as the Python API of ``SandboxServer``, for other processes. No part of GitHub; not logged, never slowed. All
bodies are JSON objects:

* ``GET|DELETE /log``; ``GET|POST|DELETE /faults``, ``POST /faults/N/release``: what arrived, and what shall go wrong.
* ``PATCH /settings``, ``PATCH /limits``: of the whole sandbox.
* ``PATCH /repos/O/R``: settings of a repository, GitHub's and ``ci`` ("manual", "pass"), ``stacks_enabled``,
  ``declined_message``.
* ``POST /repos/O/R/rulesets {patterns, rules, name, classic}``: GitHub's rules; missing parameters are filled in.
* ``POST /repos/O/R/checks {oid, name, conclusion, log}``: a check run of a plain app.
* ``POST /repos/O/R/jobs {oid, name, conclusion, log, annotations, attempt, workflow, steps, runner, expired}``: a job
  of GitHub Actions; only the first three are needed (``actions.put_job``).
* ``POST /repos/O/R/held {oid, workflow, status}``: a run of a workflow that waits for approval.
* ``GET /repos/O/R/queue/N``: the commit that a merge queue built for a pull request, on which checks are waited for.
"""

from __future__ import annotations

import ipaddress
from dataclasses import fields
from typing import Any

from flask import Blueprint, Response, jsonify, request

from stackr.sandbox import accounts, actions, checks, protection, repositories
from stackr.sandbox.engine import Engine
from stackr.sandbox.errors import ApiError, not_found
from stackr.sandbox.request import error_response


def create_blueprint(engine: Engine) -> Blueprint:
    """The routes under ``/_sandbox``."""
    control = Blueprint("control", __name__, url_prefix="/_sandbox")

    @control.before_request
    def only_from_here() -> Response | None:
        here = ipaddress.ip_address(request.remote_addr or "0.0.0.0").is_loopback  # noqa: S104
        return None if here else error_response(ApiError(403, "Only from this machine."))

    @control.errorhandler(ApiError)
    def refused(error: ApiError) -> Response:
        return error_response(error)

    _log_routes(control, engine)
    _fault_routes(control, engine)
    _world_routes(control, engine)
    return control


def _log_routes(control: Blueprint, engine: Engine) -> None:
    @control.get("/log")
    def read_log() -> Response:
        return jsonify({"counts": engine.log.counts(), "entries": engine.log.as_json()})

    @control.delete("/log")
    def clear_log() -> Response:
        engine.log.clear()
        return jsonify({})


def _fault_routes(control: Blueprint, engine: Engine) -> None:
    @control.get("/faults")
    def list_faults() -> Response:
        return jsonify(engine.faults.as_json())

    @control.post("/faults")
    def plan_fault() -> Response:
        body = _body("kind", "k", "when", "selector", "value", "times")
        fault = engine.faults.add(**body)
        return jsonify({"id": fault.id})

    @control.post("/faults/<int:number>/release")
    def release(number: int) -> Response:
        fault = engine.faults.get(number)
        if fault is None:
            raise not_found()
        fault.release()
        return jsonify({})

    @control.delete("/faults")
    def clear_faults() -> Response:
        engine.faults.clear()
        return jsonify({})


def _world_routes(control: Blueprint, engine: Engine) -> None:
    @control.patch("/settings")
    def change_settings() -> Response:
        _assign(engine.settings, _body(*(f.name for f in fields(engine.settings))))
        return jsonify({f.name: getattr(engine.settings, f.name) for f in fields(engine.settings)})

    @control.patch("/limits")
    def change_limits() -> Response:
        secondary = engine.limits.secondary
        _assign(secondary, _body(*(f.name for f in fields(secondary))))
        return jsonify({f.name: getattr(secondary, f.name) for f in fields(secondary)})

    @control.patch("/repos/<owner>/<name>")
    def change_repository(owner: str, name: str) -> Response:
        repo = _repository(engine, owner, name)
        repositories.change(engine, repo, **_body(*repositories.SETTINGS))
        return jsonify({setting: getattr(repo, setting) for setting in repositories.SETTINGS})

    @control.post("/repos/<owner>/<name>/rulesets")
    def add_rules(owner: str, name: str) -> Response:
        body = _body("patterns", "rules", "name", "classic")
        ruleset = protection.add_ruleset(engine, _repository(engine, owner, name), **body)
        return jsonify({"id": ruleset.id})

    @control.post("/repos/<owner>/<name>/jobs")
    def put_job(owner: str, name: str) -> Response:
        parts = ("log", "annotations", "attempt", "workflow", "steps", "runner", "expired")
        body = _body("oid", "name", "conclusion", *parts)
        return jsonify({"id": actions.put_job(engine, _repository(engine, owner, name), **body).id})

    @control.post("/repos/<owner>/<name>/held")
    def hold(owner: str, name: str) -> Response:
        suite = actions.hold(engine, _repository(engine, owner, name), **_body("oid", "workflow", "status"))
        return jsonify({"id": suite.id})

    @control.get("/repos/<owner>/<name>/queue/<int:number>")
    def queued(owner: str, name: str, number: int) -> Response:
        repo = _repository(engine, owner, name)
        entry = engine.store.queue_entries.one(repo_id=repo.id, number=number)
        return jsonify({"oid": entry.oid if entry else None})

    @control.post("/repos/<owner>/<name>/checks")
    def set_check(owner: str, name: str) -> Response:
        body = _body("oid", "name", "conclusion", "log")
        run = checks.put_check(engine, _repository(engine, owner, name), **body)
        return jsonify({"id": run.id})


def _repository(engine: Engine, owner: str, name: str) -> Any:
    repo = accounts.find_repository(engine, owner, name)
    if repo is None:
        raise not_found()
    return repo


def _body(*known: str) -> dict[str, Any]:
    """The JSON object sent; a field that is not known is refused by name."""
    body = request.get_json(force=True)
    unknown = sorted(set(body) - set(known))
    if unknown:
        raise ApiError(422, f"unknown fields: {', '.join(unknown)}; known are {', '.join(known)}")
    return dict(body)


def _assign(target: object, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(target, name, value)
