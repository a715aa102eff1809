"""Random schemas and tools, odd ones included."""

from typing import Any

from hypothesis import strategies as st

_ODD = ["a b", "", "a:b", "/x", "str", "null", "1", "1.0", "true", "a|b", "§1", "any", "..", "~2"]
_MORE = ["-", "…", "\n", 'q"', "é", "\u2028", "*", "name~2", "str/null", "a/b", "1..2", '"""', "\r"]
names = st.one_of(
    st.sampled_from(["id", "page", "per_page", "q", "x"]), st.sampled_from(_ODD + _MORE)
)
texts = st.one_of(names, st.text(max_size=12), st.sampled_from(["One. Two e.g. this.", "a\n\nb\n"]))
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 10**20), st.sampled_from([0.5, 1.0, -2e30]), texts
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2)
)
kinds = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
_SIMPLE: dict[str, st.SearchStrategy[Any]] = {
    "type": kinds | st.lists(kinds, min_size=1, max_size=3, unique=True),
    "enum": st.lists(scalars, max_size=3) | st.lists(texts, min_size=1, max_size=3),
    "const": values,
    "description": texts,
    "default": values,
    "format": texts,
    "title": texts,
    "minimum": st.integers(-5, 5) | st.just(0.5),
    "maximum": st.integers(5, 9),
    "minLength": st.integers(0, 3),
    "maxItems": st.integers(0, 3),
    "pattern": st.just("^a(b|c)*$"),
    "required": st.lists(names, max_size=2, unique=True),
    "examples": st.lists(values, max_size=2),
    "x-odd key": values,
    "": values,
    "1..2": values,
    "str": values,
}


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    members = st.dictionaries(names, inner, max_size=3)
    some = st.lists(inner, max_size=3)
    holders = {
        "properties": members,
        "items": inner | some,
        "additionalProperties": inner,
        "anyOf": some,
        "oneOf": some,
        "allOf": some,
        "not": inner,
        "patternProperties": members,
        "prefixItems": some,
    }
    anything = st.fixed_dictionaries({}, optional={**_SIMPLE, **holders})
    usual = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": members},
        optional={
            "additionalProperties": inner,
            "required": st.just(["id"]) | st.lists(names, max_size=3, unique=True),
            "description": texts,
        },
    )
    arrays = st.fixed_dictionaries(
        {"type": st.sampled_from(["array", ["array", "null"]])},
        optional={"items": inner, "description": texts, "maxItems": st.integers(0, 9)},
    )
    keys = st.lists(names | texts, min_size=2, max_size=3, unique=True)
    return anything | usual | arrays | keys.map(_union)


def _union(keys: list[str]) -> dict[str, Any]:
    """Return a union of definitions, which a member distinguishes."""
    refs = [f"#/$defs/d{number}" for number in range(len(keys))]
    mapping = dict(zip(keys, refs, strict=True))
    discriminator = {"propertyName": keys[0], "mapping": mapping}
    return {"oneOf": [{"$ref": ref} for ref in refs], "discriminator": discriminator}


_leaves = (
    st.booleans()
    | st.fixed_dictionaries({}, optional=_SIMPLE)
    | kinds.map(lambda kind: {"type": kind})
)
schemas = st.recursive(_leaves, _grown, max_leaves=8)


def _tools() -> st.SearchStrategy[dict[str, Any]]:
    roots = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(names, schemas, max_size=4)},
        optional={
            "additionalProperties": schemas,
            "required": st.lists(names, max_size=3, unique=True),
            "description": texts,
            "$defs": st.dictionaries(names, schemas, max_size=2),
            "$schema": st.just("https://json-schema.org/draft/2020-12/schema"),
        },
    )
    prose = texts | st.lists(
        st.sampled_from(["Returns a page. ", "It reads, e.g. files. ", "Fast.\n", "§1 ", "…"]),
        max_size=5,
    ).map("".join)
    return st.fixed_dictionaries(
        {"name": names.filter(bool)},
        optional={
            "description": prose,
            "inputSchema": roots | roots | schemas.filter(lambda schema: isinstance(schema, dict)),
            "outputSchema": schemas.filter(lambda schema: isinstance(schema, dict)),
            "annotations": st.dictionaries(texts, st.booleans(), max_size=2),
            "title": texts,
        },
    )


catalogs = st.lists(_tools(), max_size=5, unique_by=lambda tool: tool["name"])
