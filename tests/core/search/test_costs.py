# SPDX-License-Identifier: AGPL-3.0-or-later
"""Latencies, sizes and the Pareto front."""

import subprocess
import sys

import numpy as np

from core.search.costs import Axis, PeakMemory, latency, machine, pareto_front, size_summary, timed


def test_percentiles_are_linear_and_need_twenty_timings():
    assert latency([float(i) for i in range(1, 22)]) == {"p50": 11.0, "p95": 20.0}
    assert latency([1.0, 2.0, 3.0]) == {"p50": 2.0, "p95": None}
    assert latency([]) == {"p50": None, "p95": None}


def test_the_front_holds_what_nothing_else_beats():
    points = {
        "good": {"ndcg": 0.9, "index_bytes": 100.0},
        "small": {"ndcg": 0.5, "index_bytes": 10.0},
        "beaten": {"ndcg": 0.5, "index_bytes": 100.0},
        "twin": {"ndcg": 0.9, "index_bytes": 100.0},
        "gap": {"ndcg": 1.0},
    }

    assert pareto_front(points) == ["good", "small", "twin"]


def test_the_front_may_have_one_axis():
    points = {"a": {"p95": 3.0}, "b": {"p95": 2.0}}

    assert pareto_front(points, [Axis("p95", False)]) == ["b"]


def test_sizes_are_summed_up():
    assert size_summary(np.array([1, 2, 9])) == {"mean": 4.0, "median": 2.0, "max": 9.0}
    assert size_summary(np.empty(0, np.int64))["max"] == 0


def test_work_is_timed_without_losing_its_value():
    value, seconds = timed(lambda: "done")

    assert value == "done" and seconds >= 0


def test_the_machine_is_described():
    found = machine()

    assert found["cores"] >= 1 and found["libraries"]["numpy"] == np.__version__


def test_the_peak_is_of_the_time_from_now_on():
    gone = np.ones(30_000_000 // 8)  # a peak of before
    del gone
    memory = PeakMemory()
    taken = np.ones(80_000_000 // 8)
    peak = memory.bytes()
    assert taken[0] + peak >= memory.before + 70_000_000


def test_the_memory_of_children_is_counted():
    memory = PeakMemory()
    command = [sys.executable, "-c", "x = bytearray(100_000_000); print(1, flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        peak = memory.bytes()
        child.communicate(b"\n")
    assert peak >= memory.before + 100_000_000
