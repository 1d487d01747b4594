"""The product as separate processes on loopback, and a client of its API server."""

import base64
import http.client
import json
import re
import signal
import socket
import ssl
import subprocess
import time

PATHS = {
    "podcliquesets": "/apis/grove.io/v1alpha1",
    "podcliques": "/apis/grove.io/v1alpha1",
    "podcliquescalinggroups": "/apis/grove.io/v1alpha1",
    "podgangs": "/apis/scheduler.grove.io/v1alpha1",
    "podgroups": "/apis/scheduling.run.ai/v2alpha2",
    "bindrequests": "/apis/scheduling.run.ai/v1alpha2",
    "jobs": "/apis/batch/v1",
    "roles": "/apis/rbac.authorization.k8s.io/v1",
    "rolebindings": "/apis/rbac.authorization.k8s.io/v1",
    "pods": "/api/v1",
    "services": "/api/v1",
    "serviceaccounts": "/api/v1",
    "secrets": "/api/v1",
    "configmaps": "/api/v1",
}
MERGE_PATCH = "application/merge-patch+json"
# What one request may take, the server's restarts included.
PATIENCE_S = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """An embedded server that keeps its data, simulated nodes, and each component by itself."""

    def __init__(self, program, folder, nodes, gpus):
        self.program = program
        self.folder = folder
        self.port = free_port()
        self.kubeconfig = folder / "kubeconfig"
        self.processes = {}
        self.commands = {
            "server": ["up", "--listen", f"127.0.0.1:{self.port}", "--data", str(folder / "data"),
                       "--write-kubeconfig", str(self.kubeconfig), "--nodes", str(nodes),
                       "--gpus", str(gpus), "--components", "nodes,workloads,admission"]}
        for name, components in {"operator": ["operator", "--without-backends"],
                                 "backends": ["backend", "kai", "podgang"],
                                 "groups": ["grouper", "podgroups", "queues"],
                                 # The rest of a gang that lost a pod goes before anybody checks.
                                 "scheduler": ["scheduler", "--default-staleness-grace-period",
                                               "5s"],
                                 "binder": ["binder"]}.items():
            self.commands[name] = ["run", *components, "--kubeconfig", str(self.kubeconfig)]

    def start(self, name):
        with open(self.folder / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen([self.program, *self.commands[name]],
                                                    stdout=log, stderr=log)
        if name == "server":
            self._await_server()

    def start_all(self):
        for name in self.commands:
            self.start(name)

    def kill(self, name):
        """As a crash does."""
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait()

    def stop_all(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def dead(self):
        """The processes that ended by themselves."""
        return [name for name, process in self.processes.items() if process.poll() is not None]

    def memory_mb(self, name):
        with open(f"/proc/{self.processes[name].pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * 4096 >> 20

    def why(self, target):
        """What the product says about something that waits."""
        asked = subprocess.run([self.program, "why", target, "--kubeconfig", str(self.kubeconfig)],
                               capture_output=True, text=True, check=False)
        return asked.stdout + asked.stderr

    # Requests. Each is repeated while the server is away.

    def call(self, method, path, body=None, content_type="application/json"):
        """The status code and the answer."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return self._try(method, path, body, content_type)
            except (OSError, http.client.HTTPException):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def items(self, resource):
        return self.call("GET", f"{PATHS[resource]}/{resource}")[1].get("items", [])

    def path(self, resource, item, namespace="default"):
        name = item if isinstance(item, str) else item["metadata"]["name"]
        if not isinstance(item, str):
            namespace = item["metadata"]["namespace"]
        return f"{PATHS[resource]}/namespaces/{namespace}/{resource}/{name}"

    def create(self, resource, body):
        return self.call("POST", f"{PATHS[resource]}/namespaces/default/{resource}", body)

    def patch(self, path, body):
        return self.call("PATCH", path, body, MERGE_PATCH)

    def delete(self, resource, item, policy="Background"):
        return self.call("DELETE", self.path(resource, item), {"propagationPolicy": policy})

    def nodes(self):
        return self.call("GET", "/api/v1/nodes")[1]["items"]

    def revision(self):
        """Changes with every write."""
        answer = self.call("GET", "/api/v1/namespaces/default/pods?limit=1")[1]
        return int(answer["metadata"]["resourceVersion"])

    def _await_server(self):
        deadline = time.monotonic() + PATIENCE_S
        while not self.kubeconfig.exists():
            if time.monotonic() > deadline or self.processes["server"].poll() is not None:
                raise SystemExit(f"the server does not start: {self.folder}/server.log")
            time.sleep(0.05)
        self._read_kubeconfig()
        self.call("GET", "/api/v1/namespaces/default")

    def _read_kubeconfig(self):
        text = self.kubeconfig.read_text()
        self.tls = ssl.create_default_context()
        self.tls.check_hostname = False
        self.tls.verify_mode = ssl.CERT_NONE
        token = re.search(r"token: \"?([^\"\s}]+)", text)
        self.headers = {"Authorization": f"Bearer {token.group(1)}"} if token else {}
        if not token:
            for field, file in (("client-certificate-data", "client.crt"),
                                ("client-key-data", "client.key")):
                data = re.search(field + r": \"?([^\"\s}]+)", text).group(1)
                (self.folder / file).write_bytes(base64.b64decode(data))
            self.tls.load_cert_chain(self.folder / "client.crt", self.folder / "client.key")

    def _try(self, method, path, body, content_type):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls,
                                                 timeout=20)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {**self.headers, "Content-Type": content_type})
            answer = connection.getresponse()
            content = answer.read()
            return answer.status, json.loads(content) if content else {}
        finally:
            connection.close()
