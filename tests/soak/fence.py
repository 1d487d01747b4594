#!/usr/bin/env python3
"""Leaders that are stopped for longer than their lease, with writes on the way, and then go on: the
embedded server accepts none of them (docs/explanation/failures.md, "Leaders").

Each component runs twice, as a different user, so that the audit log tells the two apart. The first
ones lead, and reach the server through a relay. In the middle of their work the relay holds back what
they send, and then SIGSTOP stops them. When the second ones lead, the relay lets everything through and
SIGCONT lets the first ones go on."""

import argparse
import json
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from cluster import Cluster

COMPONENTS = {
    "operator": ["operator"],
    "groups": ["grouper", "podgroups", "queues"],
    "scheduler": ["scheduler"],
    "binder": ["binder"],
}
WRITES = {"create", "update", "patch", "delete", "deletecollection"}
# A lease lasts 15 s. The rest is for machines that have other things to do.
PATIENCE_S = 60


class Relay:
    """Passes bytes on. What clients send can be held back; answers and events always pass, so that
    there is something to send."""

    def __init__(self, port):
        self.target = port
        self.open = threading.Event()
        self.open.set()
        self.holding = 0  # Connections that have something to pass on.
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(source, sink, source is client),
                                 daemon=True).start()

    def _pass(self, source, sink, can_hold):
        try:
            while True:
                select.select([source], [], [])
                if can_hold and not self.open.is_set():
                    self.holding += 1
                    self.open.wait()
                data = source.recv(1 << 16)
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    return
                sink.sendall(data)
        except OSError:
            pass


class Fence:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.audit = folder / "audit"
        self.cluster = Cluster(program, folder, nodes=8, gpus=8)
        self.cluster.commands = {
            "server": [*self.cluster.commands["server"], "--audit-log", str(self.audit)]}

    def user(self, name, port):
        """A kubeconfig for a user of this name with all rights."""
        self.cluster.create("serviceaccounts", {"metadata": {"name": name}})
        self.cluster.call("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "default"}]})
        token = self.cluster.call(
            "POST", self.cluster.path("serviceaccounts", name) + "/token", {"spec": {}})[1]
        path = self.folder / f"{name}.kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "x",
            "clusters": [{"name": "x", "cluster": {"server": f"https://127.0.0.1:{port}",
                                                   "insecure-skip-tls-verify": True}}],
            "users": [{"name": "x", "user": {"token": token["status"]["token"]}}],
            "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}]}))
        return str(path)

    def start_replicas(self, user, port):
        config = self.user(user, port)
        names = []
        for name, what in COMPONENTS.items():
            names.append(f"{user}-{name}")
            self.cluster.commands[names[-1]] = ["run", *what, "--kubeconfig", config,
                                                "--leader-elect", "--admin-address", "127.0.0.1:0"]
            self.cluster.start(names[-1])
        return names

    def leases(self):
        """Who holds each lease: which process it is does not matter, only that it changes."""
        found = self.cluster.call("GET", "/apis/coordination.k8s.io/v1/leases")[1]["items"]
        return {item["metadata"]["name"]: item["spec"].get("holderIdentity") for item in found
                if item["metadata"]["namespace"] != "kube-node-lease"}

    def lines(self):
        """What was asked about resources, in the order of the answers."""
        lines = [json.loads(line) for line in self.audit.read_text().splitlines()]
        return [line for line in lines if "resource" in line]

    def writes_of(self, user, lines):
        return [line for line in lines if line["user"].endswith(f":{user}")
                and line["verb"] in WRITES and line["resource"] != "leases"]

    def work(self, stop):
        """Sets that come and go: everybody has something to write all the time."""
        number = 0
        while not stop.is_set():
            self.cluster.create("podcliquesets", workload(f"w{number}"))
            if number >= 6:
                self.cluster.delete("podcliquesets", f"w{number - 6}")
            number += 1
            time.sleep(0.15)


def workload(name):
    clique = {"name": "c", "spec": {
        "roleName": "c", "replicas": 4, "minAvailable": 4,
        "podSpec": {"schedulerName": "kai-scheduler", "containers": [
            {"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}}}
    return {"apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
            "metadata": {"name": name, "labels": {"kai.scheduler/queue": "default"}},
            "spec": {"replicas": 1, "template": {"cliques": [clique]}}}


def wait_until(what, condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"fence: not in {seconds} s: {what}")
        time.sleep(0.1)


def takeovers(lines, user):
    """Where in the log each lease went to this user: its first accepted write of it."""
    places = {}
    for place, line in enumerate(lines):
        if line["user"].endswith(f":{user}") and line["resource"] == "leases" \
                and line["verb"] in WRITES and line["code"] < 300:
            places.setdefault(line["name"], place)
    return places


def check(fence):
    lines = fence.lines()
    places = takeovers(lines, "second")
    # From the last takeover on, nothing of the first ones is accepted, whosever it is.
    late = fence.writes_of("first", lines[max(places.values()):])
    accepted = [line for line in late if line["code"] < 300]
    refused = [line for line in late if line["code"] == 403]
    for line in accepted:
        print(f"WRONG  a former leader wrote: {line}")
    if not refused:
        print("WRONG  nothing was on the way: the test shows nothing")
    print(f"fence: {len(places)} leases went over; of {len(late)} late writes "
          f"{len(refused)} were refused and {len(accepted)} accepted")
    return not accepted and bool(refused)


def run(fence):
    fence.cluster.start("server")
    fence.cluster.call("POST", "/api/v1/namespaces", {"metadata": {"name": "coppice-system"}})
    relay = Relay(fence.cluster.port)
    first = fence.start_replicas("first", relay.port)
    wait_until("the first ones lead", lambda: len(fence.leases()) >= len(COMPONENTS), PATIENCE_S)
    before = fence.leases()
    second = fence.start_replicas("second", fence.cluster.port)
    stop = threading.Event()
    worker = threading.Thread(target=fence.work, args=(stop,))
    worker.start()
    try:
        wait_until("all work", lambda: len(fence.writes_of("first", fence.lines())) > 200,
                   PATIENCE_S)
        relay.open.clear()
        wait_until("writes are on the way", lambda: relay.holding > 0, PATIENCE_S)
        time.sleep(1)
        for name in first:
            fence.cluster.processes[name].send_signal(signal.SIGSTOP)
        wait_until("the second ones lead", lambda: all(
            holder != before.get(lease) for lease, holder in fence.leases().items()), PATIENCE_S)
        relay.open.set()
        for name in first:
            fence.cluster.processes[name].send_signal(signal.SIGCONT)
        time.sleep(3)
    finally:
        stop.set()
        worker.join()
    for name in second:
        if fence.cluster.processes[name].poll() is not None:
            print(f"WRONG  {name} ended")
            return False
    return check(fence)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--coppice", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fence = Fence(arguments.coppice, pathlib.Path(folder))
        try:
            passed = run(fence)
        finally:
            for process in fence.cluster.processes.values():
                process.send_signal(signal.SIGCONT)
            fence.cluster.stop_all()
        if not passed:
            for log in sorted(pathlib.Path(folder).glob("*.log")):
                print(f"== {log.name}\n{log.read_text()[-2000:]}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
