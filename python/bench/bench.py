"""Every benchmark, one after another: ends with 1 if any of them misses its figure.

python bench/bench.py [--published PYTHON] [--langgraph PYTHON]
"""

from __future__ import annotations

import asyncio
import sys

import bench_engine
import bench_strands

if __name__ == "__main__":
    sys.exit(max(bench_engine.main(), asyncio.run(bench_strands.main())))
