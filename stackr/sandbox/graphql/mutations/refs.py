"""Creating, moving and deleting refs. Source: https://docs.github.com/en/graphql/reference/mutations#updaterefs."""

from __future__ import annotations

from stackr.sandbox import refs
from stackr.sandbox.errors import ApiError
from stackr.sandbox.graphql.context import Context
from stackr.sandbox.graphql.mutations.entry import Json, mutation, needed, the_repository
from stackr.sandbox.graphql.values import Ref
from stackr.sandbox.model import ZERO_OID


@mutation("createRef")
def create_ref(context: Context, given: Json) -> Json:
    """A new ref by its full name, on an object that is there."""
    repo, name = the_repository(context, given), given["name"]
    if refs.get_ref(context.engine, repo, name) is not None:
        raise ApiError(422, f'A ref named "{name}" already exists in the repository.')
    change = refs.RefChange(name, given["oid"], ZERO_OID)
    refs.update_refs(context.engine, context.viewer, repo, [change])
    return {"ref": Ref(repo, name, given["oid"])}


@mutation("updateRef")
def update_ref(context: Context, given: Json) -> Json:
    """Move a ref; only forward, unless forced."""
    ref: Ref = needed(context, given["refId"], Ref)
    change = refs.RefChange(ref.name, given["oid"], force=given.get("force", False))
    refs.update_refs(context.engine, context.viewer, ref.repo, [change])
    return {"ref": Ref(ref.repo, ref.name, given["oid"])}


@mutation("updateRefs")
def update_refs(context: Context, given: Json) -> Json:
    """Create, move and delete several refs, all or none. Forty zeros: does not exist before, or not after."""
    changes = [
        refs.RefChange(one["name"], one["afterOid"], one.get("beforeOid"), bool(one.get("force")))
        for one in given["refUpdates"]
    ]
    refs.update_refs(context.engine, context.viewer, the_repository(context, given), changes)
    return {}


@mutation("deleteRef")
def delete_ref(context: Context, given: Json) -> Json:
    """Delete a ref."""
    ref: Ref = needed(context, given["refId"], Ref)
    refs.update_refs(context.engine, context.viewer, ref.repo, [refs.RefChange(ref.name, ZERO_OID)])
    return {}
