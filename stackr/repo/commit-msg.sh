#!/bin/sh
# stackr commit-msg hook, version 2: names every change with a Change-Id trailer as it is committed.
# Written by "stackr hook install", which may replace it. To be rid of it, delete this file (and rename
# commit-msg.before-stackr, if there is one, to commit-msg).

before="$(dirname "$0")/commit-msg.before-stackr"
if test -x "$before"; then
    "$before" "$@" || exit $?
fi

message=$1

# An empty message ends the commit; git must find it empty. Below the scissors stands the diff of "git commit -v".
test -n "$(sed '/^. -* >8 -*$/,$d' "$message" | git stripspace --strip-comments)" || exit 0
# Named already: an amended commit keeps its name, and so stays the same change.
grep -q '^Change-Id: I[0-9a-f]\{40\}[[:space:]]*$' "$message" && exit 0
# fixup!, squash! and amend! commits will disappear into another one; a merge commit is no change.
head -n 1 "$message" | grep -q '^\(fixup\|squash\|amend\)! ' && exit 0
test -e "$(git rev-parse --git-path MERGE_HEAD)" && exit 0

id=$({
    git var GIT_AUTHOR_IDENT
    git rev-parse --quiet --verify HEAD || : # before the first commit; husky runs hooks with sh -e
    git write-tree
    date
    echo $$
    cat "$message"
} 2>/dev/null | git hash-object --stdin) || exit 1

# A "---" in a message is the author's own; only git-format-patch gives it a meaning.
git -c trailer.where=end -c trailer.ifMissing=add -c trailer.separators=: \
    interpret-trailers --in-place --no-divider --trailer "Change-Id: I$id" "$message"
