"""The control API of tests and of people who play the colleague: ``/_sandbox/...``, loopback only.

The same as the Python API of ``SandboxServer``, for other processes. No part of GitHub; not logged, never slowed.
"""

from __future__ import annotations

import ipaddress
from dataclasses import fields
from typing import Any

from flask import Blueprint, Response, jsonify, request

from stackr.sandbox import accounts, checks, protection, repositories
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
