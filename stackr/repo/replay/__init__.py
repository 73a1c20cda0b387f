"""The in-memory restack: commits applied to another parent without a checkout, an index or a hook.

``replay`` tells the story; ``splice`` merges trees entry by entry where nothing meets, ``real`` lets git merge where
something does, ``trees`` and ``scratch`` hold what does not exist in the repository yet, ``attributes`` sees to it that
git merges by the attributes a rebase would have had. Nothing is imported here.
"""
