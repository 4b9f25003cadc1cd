"""Formats of the description that only the service checks in full, for schemathesis to make good values of."""

import schemathesis
from hypothesis import strategies as st

letters = st.characters(codec="utf-8", exclude_categories=["C", "Z"])


def line(max_size):
    return st.text(letters, min_size=1, max_size=max_size)


schemathesis.openapi.format("text", st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=300))
schemathesis.openapi.format("line", line(90))
schemathesis.openapi.format("username", line(60).filter(lambda name: "@" not in name))
schemathesis.openapi.format("email", st.uuids().map(lambda id: f"{id}@example.com"))
schemathesis.openapi.format(
    "http-url", st.from_regex(r"https://[a-z]{1,20}\.example/[a-z0-9/]{0,20}", fullmatch=True)
)
schemathesis.openapi.format(
    "date-time", st.datetimes().map(lambda time: time.replace(year=2030).isoformat(timespec="milliseconds") + "Z")
)
