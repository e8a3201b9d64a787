"""Writes the Pydantic models.

datamodel-code-generator reads the schema and decides what is a class, an enum, a
type, a constraint, a default. It has no option for a tuple of any length, for an
``__init__`` that takes a list where a tuple is stored, or for a base class that holds
the configuration; so its module is read back as a tree and printed in our form.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from itertools import pairwise

from datamodel_code_generator import GenerateConfig, generate
from python_annotations import accepted, source, stored, unconstrained
from read_schema import DIALECT, Schema

LINE_LENGTH = 96
PACKAGE = "strands_plan_tool"
BASE_CONFIG = "ConfigDict(extra='forbid')"

OPTIONS = {
    "input_file_type": "jsonschema",
    "schema_version": "2020-12",
    "schema_version_mode": "strict",
    "strict_refs": True,
    "allow_remote_refs": False,
    "output_model_type": "pydantic_v2.BaseModel",
    "target_python_version": "3.11",
    "target_pydantic_version": "2.12",
    "base_class": f"{PACKAGE}._base.Model",
    "skip_root_model": True,
    "use_annotated": True,
    "use_type_alias": True,
    "use_specialized_enum": True,
    "capitalise_enum_members": True,
    "strict_nullable": True,
    "deserialize_default_values": ["enum"],
    "use_schema_description": True,
    "use_field_description": True,
    "use_standard_collections": True,
    "use_union_operator": True,
    "disable_future_imports": True,
    "disable_timestamp": True,
    "formatters": ["builtin"],
    "type_overrides": {"JsonValue": "pydantic.JsonValue"},
}
HEADER = '''\
"""The shapes of the plan language; generated from ``schema/``, do not edit.

``nox -s generate`` writes this file. Schema: sha256
{digest}
"""
'''
IMPORTS = {
    "typing": ("TYPE_CHECKING", "Annotated", "Final", "TypeAlias"),
    "pydantic": ("Field", "JsonValue"),
    f"{PACKAGE}._base": ("FromList", "Model", "Word"),
}


def generate_python(schema: Schema) -> str:
    """The text of ``models.py``."""
    enums = {name for name, value in schema.definitions.items() if "enum" in value}
    blocks = [
        f'{constant.name}: Final = {json.dumps(constant.value)}\n"""{constant.description}"""'
        for constant in schema.constants
    ]
    for node, text in _with_docstrings(ast.parse(_raw_module(schema)).body):
        if isinstance(node, ast.ClassDef):
            blocks.append(_enum(node) if node.name in enums else _model(node, enums))
        elif isinstance(node, ast.Assign):
            blocks.append(f'{_alias(node)}\n"""{text}"""')
    body = _spaced(blocks)
    names = [*(constant.name for constant in schema.constants), *schema.definitions]
    header = HEADER.format(digest=schema.digest)
    return _within_line_length("\n".join([header, _imports(body), _exports(names), body]))


def _raw_module(schema: Schema) -> str:
    document = {"$schema": DIALECT, "$defs": schema.definitions}
    module = generate(json.dumps(document), config=GenerateConfig.model_validate(OPTIONS))
    if not isinstance(module, str):
        raise TypeError("the code generator did not give one module")
    return module


def _with_docstrings(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Each statement with the text of the string that follows it, if one does."""
    for node, after in pairwise([*body, ast.Pass()]):
        match after:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node, text.strip()
            case _:
                yield node, ""


def _alias(node: ast.Assign) -> str:
    """``X = TypeAliasType("X", T)`` as an alias that needs no further package."""
    match node.value:
        case ast.Call(args=[ast.Constant(value=str(name)), value]):
            return f"{name}: TypeAlias = {source(value)}"
    raise ValueError(f"no rule for {ast.unparse(node)}")


def _enum(node: ast.ClassDef) -> str:
    members = [item for item in node.body if isinstance(item, ast.Assign)]
    lines = [f"class {node.name}(Word):", f'    """{ast.get_docstring(node)}"""', ""]
    return "\n".join([*lines, *(f"    {source(member)}" for member in members)])


def _model(node: ast.ClassDef, enums: set[str]) -> str:
    lines = [
        f"class {node.name}(Model, frozen=True):",
        f'    """{ast.get_docstring(node)}"""',
        "",
    ]
    parameters: list[str] = []
    as_stored = True
    for item, text in _with_docstrings(node.body):
        match item:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                default = "" if value is None else f" = {_default(value)}"
                takes = source(accepted(annotation, enums))
                lines += [f"    {name}: {source(stored(annotation))}{default}"]
                lines += [f'    """{text}"""']
                parameters.append(f"{name}: {takes}{default and ' = ...'}")
                as_stored = as_stored and takes == source(unconstrained(annotation))
            case ast.Assign(value=value) if ast.unparse(value) != BASE_CONFIG:
                raise ValueError(f"{node.name}: not the base's: {ast.unparse(value)}")
    if not as_stored:
        lines += ["", "    if TYPE_CHECKING:", "", *_initializer(parameters)]
    return "\n".join(lines)


def _default(node: ast.expr) -> str:
    text = source(node)
    # A factory is quicker than the copy that Pydantic makes of an object for each instance.
    return {"[]": "()", "{}": "Field(default_factory=dict)"}.get(text, text)


def _initializer(parameters: list[str]) -> list[str]:
    """What type checkers see: a list for a tuple, a string for an enum."""
    indent = " " * 8
    line = f"{indent}def __init__(self, *, {', '.join(parameters)}) -> None: ..."
    if len(line) <= LINE_LENGTH:
        return [line]
    inner = [f"{indent}    {parameter}," for parameter in ["self", "*", *parameters]]
    return [f"{indent}def __init__(", *inner, f"{indent}) -> None: ..."]


def _spaced(blocks: list[str]) -> str:
    """Two blank lines around classes, one between plain assignments."""
    text = blocks[0]
    for before, block in pairwise(blocks):
        around_class = before.startswith("class ") or block.startswith("class ")
        text += ("\n\n\n" if around_class else "\n\n") + block
    return text + "\n"


def _imports(body: str) -> str:
    used = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    used.add("JsonValue")
    lines = [
        f"from {module} import {', '.join(name for name in names if name in used)}\n"
        for module, names in IMPORTS.items()
    ]
    return "\n".join(lines)


def _exports(names: list[str]) -> str:
    # Constants, then classes: the order in which the linter wants `__all__`.
    ordered = sorted(names, key=lambda name: (not name.isupper(), name))
    lines = [f'    "{name}",\n' for name in ordered]
    return f"__all__ = [\n{''.join(lines)}]\n"


def _within_line_length(module: str) -> str:
    if long := [line for line in module.splitlines() if len(line) > LINE_LENGTH]:
        raise ValueError(f"over {LINE_LENGTH} characters: {long[0].strip()}")
    return module
