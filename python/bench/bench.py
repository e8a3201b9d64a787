"""Every benchmark, one after another: ends with 1 if any of them misses its figure.

python bench/bench.py
"""

from __future__ import annotations

import asyncio
import sys

import bench_strands

if __name__ == "__main__":
    sys.exit(asyncio.run(bench_strands.main()))
