#!/usr/bin/env python3
"""Runs every component in its own process, on a server with persistent data, does random work and kills
random processes. GPUs must never be allocated twice. Afterwards everything must reach the requested
state, writes must stop, and nothing may be left after everything is deleted."""

import argparse
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

import checks
from cluster import PATHS, Cluster
from work import Work

NODES = 24
GPUS = 8
# Nothing is written for this long: longer than anybody waits to tell something.
QUIET_S = 22
SETTLE_S = 180


class Findings:
    def __init__(self):
        self.count = 0

    def add(self, found):
        for text in found:
            print(f"WRONG  {text}", flush=True)
        self.count += len(found)


def settle(cluster, what):
    """Waits until writes stop; returns an error if they do not."""
    start = since = time.monotonic()
    last = cluster.revision()
    while time.monotonic() - since < QUIET_S:
        if time.monotonic() - start > SETTLE_S:
            return [f"{what}: still being written after {SETTLE_S} s"]
        time.sleep(1)
        revision = cluster.revision()
        if revision != last:
            last, since = revision, time.monotonic()
    print(f"ok     {what}: quiet after {since - start:.0f} s", flush=True)
    return []


def everything(cluster):
    return {resource: {checks.name_of(item) for item in cluster.items(resource)}
            for resource in PATHS}


def disturb(cluster, work, seconds, findings):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        work.do_something()
        findings.add(checks.overcommitted(cluster, GPUS))
        for name in cluster.dead():
            findings.add([f"{name} ended with {cluster.processes[name].returncode}"])
            cluster.start(name)
        time.sleep(work.random.random() / 4)
    findings.add(sorted(set(work.refused)))
    print("did   ", ", ".join(f"{deed} {count}" for deed, count in sorted(work.done.items())))


def soak(cluster, seconds, seed):
    findings = Findings()
    cluster.start_all()
    findings.add(settle(cluster, "start"))
    before = everything(cluster)
    work = Work(cluster, random.Random(seed))
    disturb(cluster, work, seconds, findings)
    work.uncordon_all()
    findings.add(settle(cluster, "after the trouble"))
    findings.add(checks.wrong_at_rest(cluster, GPUS))
    pods = cluster.items("pods")
    waiting = sum(pod["status"].get("phase") == "Pending" for pod in pods)
    print(f"ok     {len(pods)} pods, {waiting} of them waiting; "
          f"{sum(map(checks.gpus_of, pods))} GPUs asked for, {NODES * GPUS} there")
    work.delete_all()
    findings.add(settle(cluster, "after deleting all"))
    for resource, names in everything(cluster).items():
        findings.add([f"left: {resource} {name}" for name in sorted(names - before[resource])])
    print("memory", ", ".join(f"{name} {cluster.memory_mb(name)} MB" for name in cluster.commands))
    return findings.count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--coppice", default="build/coppice", help="the program")
    parser.add_argument("--seconds", type=int, default=60, help="how long to do work and kill processes")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # Exit normally on SIGTERM, so that all child processes are ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="coppice-soak-"))
    cluster = Cluster(options.coppice, folder, NODES, GPUS)
    try:
        wrong = soak(cluster, options.seconds, options.seed)
    finally:
        cluster.stop_all()
    if wrong:
        sys.exit(f"{wrong} findings with seed {options.seed}; the logs are in {folder}")
    shutil.rmtree(folder)
    print(f"nothing wrong in {options.seconds} s with seed {options.seed}")


if __name__ == "__main__":
    main()
