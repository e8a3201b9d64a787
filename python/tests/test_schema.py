"""The schema, the part of JSON Schema that it keeps to, and what is generated from it."""

from __future__ import annotations

import json
import re
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped, unused-ignore]
from pydantic import BaseModel
from referencing import Registry, Resource

from strands_plan_tool import models
from strands_plan_tool.tool_input import TOOL_INPUT_SCHEMA

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "schema"
SOURCES = (
    "plan.schema.json",
    "policy.schema.json",
    "result.schema.json",
    "checkpoint.schema.json",
    "task-plan.schema.json",
)
EXAMPLES = sorted(SCHEMA.glob("examples/*/*.json"))
DOCUMENTS = {name: json.loads((SCHEMA / name).read_text("utf-8")) for name in SOURCES}
HOMES = {key: name for name, document in DOCUMENTS.items() for key in document["$defs"]}
GENERATED = (
    "python/src/strands_plan_tool/models.py",
    "python/src/strands_plan_tool/tool_input.py",
    "typescript/src/models.ts",
    "typescript/src/tool-input.ts",
    "schema/tool-input.schema.json",
)


@pytest.fixture(autouse=True)
def _codegen_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCHEMA / "codegen"))


@pytest.fixture
def copy_of_the_repository(tmp_path: Path) -> Path:
    """The schema and what is generated from it, to be changed at will."""
    shutil.copytree(SCHEMA, tmp_path / "schema")
    for path in GENERATED:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    return tmp_path


def edit(root: Path, name: str, old: str, new: str) -> None:
    file = root / "schema" / name
    text = file.read_text("utf-8")
    assert text.count(old) >= 1
    file.write_text(text.replace(old, new), "utf-8")


def validator(definition: str) -> Draft202012Validator:
    registry: Registry[Any] = Registry().with_resources(
        (name, Resource.from_contents(document)) for name, document in DOCUMENTS.items()
    )
    reference = f"{HOMES[definition]}#/$defs/{definition}"
    return Draft202012Validator({"$ref": reference}, registry=registry)


def model_of(definition: str) -> type[BaseModel]:
    model: type[BaseModel] = getattr(models, definition)
    return model


# What is in the schema


def test_the_schema_keeps_to_the_allowed_keywords() -> None:
    schema = import_module("read_schema").read_schema(SCHEMA)
    assert set(schema.definitions) == set(HOMES)


@pytest.mark.parametrize("name", SOURCES)
def test_each_file_is_json_schema_and_is_used_through_its_main_definition(name: str) -> None:
    Draft202012Validator.check_schema(DOCUMENTS[name])
    assert DOCUMENTS[name]["$ref"].removeprefix("#/$defs/") in DOCUMENTS[name]["$defs"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_example_is_valid_for_the_schema_and_for_the_model(path: Path) -> None:
    value = json.loads(path.read_text("utf-8"))
    check = validator(path.parent.name)
    check.validate(value)
    read = model_of(path.parent.name).model_validate(value)
    dumped = read.model_dump(mode="json")
    check.validate(dumped)
    assert model_of(path.parent.name).model_validate_json(read.model_dump_json()) == read
    assert read.model_dump(mode="json", exclude_unset=True) == value


def test_every_object_has_an_example() -> None:
    objects = {
        name
        for document in DOCUMENTS.values()
        for name, definition in document["$defs"].items()
        if definition["type"] == "object"
    }
    assert {path.parent.name for path in EXAMPLES} == objects


# What the generator refuses


OBJECT = {
    "description": "d",
    "type": "object",
    "additionalProperties": False,
    "required": ["x"],
}


def with_property(**keywords: object) -> dict[str, object]:
    return {**OBJECT, "properties": {"x": {"description": "d", **keywords}}}


@pytest.mark.parametrize(
    ("name", "schema", "place"),
    [
        ("Step2", {"description": "d", "type": "string"}, "Step2"),
        ("Thing", {"type": "string"}, "Thing"),
        ("Thing", {"description": "x" * 85, "type": "string"}, "Thing"),
        ("Thing", {"description": 'a "word"', "type": "string"}, "Thing"),
        ("Thing", {"description": "d", "type": "string", "format": "date"}, "Thing"),
        ("Thing", {"description": "d", "type": "string", "minLength": 2}, "Thing"),
        ("Thing", {"description": "d", "type": "string", "maxLength": 2}, "Thing"),
        ("Thing", {"description": "d", "type": "string", "pattern": "^\\d$"}, "Thing"),
        ("Thing", {"description": "d", "type": "string", "pattern": "a"}, "Thing"),
        ("Thing", {"description": "d", "type": "string", "enum": ["Ok"]}, "Thing"),
        ("Thing", {"description": "d", "type": "string", "const": "a"}, "Thing"),
        ("Thing", {"description": "d", "enum": ["a", 1]}, "Thing"),
        ("Thing", {"description": "d", "type": "integer"}, "Thing"),
        ("Thing", {"description": "d", "type": "number", "minimum": 0.5}, "Thing"),
        ("Thing", {"description": "d", "type": "number", "multipleOf": 2}, "Thing"),
        ("Thing", {"description": "d", "type": ["string", "null"]}, "Thing"),
        ("Thing", {"description": "d", "type": ["string", "number"]}, "Thing"),
        ("Thing", {"description": "d", "oneOf": []}, "Thing"),
        ("Thing", {"description": "d", "type": "object"}, "Thing"),
        ("Thing", {**with_property(type="string"), "additionalProperties": True}, "Thing"),
        ("Thing", {**with_property(type="string"), "patternProperties": {}}, "Thing"),
        ("Thing", {**with_property(type="string"), "required": ["x", "y"]}, "Thing"),
        ("Thing", {**with_property(type="string"), "required": []}, "Thing.x"),
        ("Thing", with_property(type="string", default="a"), "Thing.x"),
        ("Thing", {**with_property(type="string", default=1), "required": []}, "Thing.x"),
        ("Thing", {**with_property(type="string", default=None), "required": []}, "Thing.x"),
        ("Thing", with_property(type="string", description=""), "Thing.x"),
        ("Thing", with_property(type="string", enum=["a"]), "Thing.x"),
        ("Thing", with_property(type="array"), "Thing.x"),
        ("Thing", with_property(type="array", items={"enum": ["a"]}), "Thing.x[]"),
        (
            "Thing",
            with_property(type="array", items={"type": "boolean"}, maxItems=9),
            "Thing.x",
        ),
        ("Thing", with_property(anyOf=[{"type": "string"}, {"type": "null"}]), "Thing.x"),
        ("Thing", with_property(**{"$ref": "other.json#/A"}), "Thing.x"),
        ("Thing", with_property(type="object", additionalProperties=True), "Thing.x"),
    ],
)
def test_what_the_generators_would_read_differently_is_refused(
    name: str, schema: dict[str, Any], place: str
) -> None:
    rules = import_module("allowed_keywords")
    with pytest.raises(rules.SchemaError, match=f"^{re.escape(place)}: "):
        rules.check_definition(schema, name)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("plan.schema.json", "#/$defs/Join", "#/$defs/Jion"),
        ("result.schema.json", "plan.schema.json#/$defs/StepId", "plans.json#/$defs/StepId"),
        ("result.schema.json", "plan.schema.json#/$defs/StepId", "#/$defs/StepId"),
        ("policy.schema.json", '"Effect": {', '"Join": {'),
        ("policy.schema.json", "2020-12", "2019-09"),
        ("policy.schema.json", '"$defs": {', '"title": "Policy",\n  "$defs": {'),
        (
            "plan.schema.json",
            '"items": { "$ref": "#/$defs/StepId" }',
            '"items": { "$ref": "#/$defs/PlanStep" }',
        ),
    ],
    ids=["no target", "no file", "wrong file", "twice", "dialect", "keyword", "cycle"],
)
def test_a_set_of_files_that_does_not_hold_together_is_refused(
    copy_of_the_repository: Path, name: str, old: str, new: str
) -> None:
    reader = import_module("read_schema")
    edit(copy_of_the_repository, name, old, new)
    with pytest.raises(reader.SchemaError):
        reader.read_schema(copy_of_the_repository / "schema")


# What is generated


def test_every_generated_file_says_which_schema_it_was_made_from() -> None:
    digest = import_module("read_schema").read_schema(SCHEMA).digest
    texts = {path: (ROOT / path).read_text("utf-8") for path in GENERATED}
    assert [path for path, text in texts.items() if digest not in text] == [
        "schema/tool-input.schema.json"
    ]


def test_the_files_that_need_no_code_generator_are_what_the_schema_gives() -> None:
    schema = import_module("read_schema").read_schema(SCHEMA)
    typescript = import_module("generate_typescript")
    tool_input = import_module("generate_tool_input")
    expected = {
        "typescript/src/models.ts": typescript.generate_typescript(schema),
        "typescript/src/tool-input.ts": typescript.generate_tool_input_typescript(schema),
        "schema/tool-input.schema.json": tool_input.generate_tool_input(schema),
        "python/src/strands_plan_tool/tool_input.py": tool_input.generate_tool_input_python(
            schema
        ),
    }
    assert {path: (ROOT / path).read_text("utf-8") for path in expected} == expected


def test_no_generated_name_is_invented_or_numbered() -> None:
    text = (ROOT / GENERATED[0]).read_text("utf-8")
    names = set(re.findall(r"^(?:class )?([A-Z][a-z]\w*)[(:]", text, re.MULTILINE))
    assert names | {"JsonValue"} == set(HOMES)


def test_the_tool_input_is_lean_and_the_same_in_every_file() -> None:
    text = json.dumps(TOOL_INPUT_SCHEMA)
    assert (
        json.loads((SCHEMA / "tool-input.schema.json").read_text("utf-8")) == TOOL_INPUT_SCHEMA
    )
    assert (
        set(re.findall(r'"(\$\w+|description|title|default|null|\w+Items|pattern)"', text))
        == set()
    )
    assert set(TOOL_INPUT_SCHEMA["properties"]) == set(models.WorkflowPlan.model_fields)
    step = TOOL_INPUT_SCHEMA["properties"]["steps"]["items"]
    assert set(step["properties"]) == set(models.PlanStep.model_fields)


def test_the_tool_input_accepts_every_plan_that_holds_no_null() -> None:
    Draft202012Validator.check_schema(TOOL_INPUT_SCHEMA)
    check = Draft202012Validator(TOOL_INPUT_SCHEMA)
    for path in sorted(SCHEMA.glob("examples/WorkflowPlan/*.json")):
        check.validate(json.loads(path.read_text("utf-8")))


def generator() -> Any:
    pytest.importorskip("datamodel_code_generator")
    return import_module("generate")


def test_the_committed_files_have_not_drifted() -> None:
    assert generator().drift(ROOT) == ""


def test_a_changed_bound_drifts_in_both_languages_until_it_is_generated(
    copy_of_the_repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generate = generator()
    assert generate.main(["--check"], copy_of_the_repository) == 0
    edit(copy_of_the_repository, "plan.schema.json", '"maxItems": 10000', '"maxItems": 20000')
    assert generate.main(["--check"], copy_of_the_repository) == 1
    diff = capsys.readouterr().out
    assert re.findall(r"^--- (.+)$", diff, re.MULTILINE) == list(GENERATED[:4])
    assert "+    steps: Annotated[tuple[PlanStep, ...], Field(max_length=20000" in diff
    assert "+  steps: z.array(PlanStep).min(1).max(20000)" in diff
    assert generate.main([], copy_of_the_repository) == 0
    assert generate.main(["--check"], copy_of_the_repository) == 0


def test_a_file_edited_by_hand_and_a_missing_one_are_drift(
    copy_of_the_repository: Path,
) -> None:
    generate = generator()
    (copy_of_the_repository / GENERATED[2]).unlink()
    with (copy_of_the_repository / GENERATED[0]).open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    assert re.findall(r"^--- (.+)$", generate.drift(copy_of_the_repository), re.MULTILINE) == [
        GENERATED[0],
        GENERATED[2],
    ]


def test_a_schema_beyond_the_allowed_keywords_stops_the_generator(
    copy_of_the_repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(copy_of_the_repository, "plan.schema.json", '"minLength": 1', '"maxLength": 1')
    assert generator().main([], copy_of_the_repository) == 1
    assert capsys.readouterr().err == "schema: PlanStep.tool: no rule for `maxLength`\n"


def test_a_new_field_reaches_both_languages_and_the_tool_input(
    copy_of_the_repository: Path,
) -> None:
    added = (
        '"tags": {"description": "Tags.", "type": "array", '
        '"items": {"$ref": "#/$defs/Join"}, "default": []},\n        "join": {'
    )
    edit(copy_of_the_repository, "plan.schema.json", '"join": {', added)
    files = generator().generated_files(copy_of_the_repository)
    models_py, tool_input_py, models_ts, tool_input_ts, tool_input_json = files.values()
    assert "    tags: Annotated[tuple[Join, ...], FromList] = ()\n" in models_py
    assert "            tags: list[Join | str] | tuple[Join | str, ...] = ...,\n" in models_py
    assert '  tags: z.array(Join).default([]).describe("Tags."),\n' in models_ts
    assert '"tags": {' in tool_input_py
    assert "tags: {" in tool_input_ts
    assert json.loads(tool_input_json)["properties"]["steps"]["items"]["properties"][
        "tags"
    ] == {
        "type": "array",
        "items": {"enum": ["all", "any"]},
    }
