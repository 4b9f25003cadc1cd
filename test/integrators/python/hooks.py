"""What the description can't say, told to schemathesis."""

import itertools
import re

import schemathesis
from hypothesis import strategies as st
from schemathesis.openapi.checks import RejectedPositiveData

# Formats that only the service checks in full, to make good values of.
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
    "date-time",
    st.datetimes().map(lambda time: time.replace(year=2032).isoformat(timespec="milliseconds") + "Z"),
)

# Rules between fields, or between a field and the clock: values that are good by themselves are refused with these errors.
RULES_IN_WORDS = {
    "listRooms": ("/sort", "not_one_of", "q"),
    "listSpaceCalls": ("/sort", "invalid", "q"),
    "createPersonalToken": ("/expiresAt", "in_the_past", None),
}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    rule = RULES_IN_WORDS.get(case.operation.definition.raw["operationId"])
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 400 or rule is None:
        return True
    path, code, other = rule
    errors = [(error["path"], error["code"]) for error in response.json().get("errors", [])]
    return errors != [(path, code)] or (other is not None and other not in (case.query or {}))


# As with Stripe, a key that was used before gets the answer of then, also when what was made has been deleted since.
# What is asked of later then isn't there. So a good key is used once.
keys = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        mark = f"-{next(keys)}"
        case.headers["Idempotency-Key"] = key[: 255 - len(mark)] + mark
