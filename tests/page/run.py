#!/usr/bin/env python3
"""Runs the web page in a browser: every view, live changes, missing rights, lost connections,
accessibility. Writes screenshots.

usage: run.py --coppice build/coppice [--images docs/images]
"""
import argparse
import contextlib
import http.client
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "soak"))
import demo  # noqa: E402
from cluster import Cluster  # noqa: E402
from devtools import Browser, find_browser  # noqa: E402

ACCESSIBILITY = (HERE / "accessibility.js").read_text()
VIEWS = {"overview": "/", "map": "/map", "queues": "/queues", "workloads": "/workloads",
         "waiting": "/waiting", "workload": "/workloads/default/PodCliqueSet/giant"}
# What a view shows once it is complete.
COMPLETE = {"overview": "document.querySelectorAll('.tile').length === 4 && document.querySelector('.bars')",
            "map": "document.querySelectorAll('.racks tbody tr').length === 8",
            "queues": "document.querySelectorAll('.queue-tree li').length >= 5",
            "workloads": "document.querySelectorAll('.rows .row').length > 8",
            "waiting": "document.querySelector('.rows .row .change')",
            "workload": "document.querySelector('.explanation-card') && document.querySelectorAll('.pod').length === 6"}
LARGEST_IMAGE = 150_000


class Served:
    """A process that prints the URL of its page."""

    def __init__(self, arguments, log):
        self.log = log
        with open(log, "wb") as out:
            self.process = subprocess.Popen(arguments, stdout=out, stderr=out)
        deadline = time.monotonic() + 60
        self.url = None
        while not self.url:
            found = re.search(r"Web page: (\S+)", log.read_text(errors="replace"))
            self.url = found and found.group(1)
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit(f"no page is served: {log.read_text(errors='replace')}")
            time.sleep(0.05)
        self.base = self.url.split("/?")[0]

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=15)


class Run:
    def __init__(self, coppice, folder, images):
        self.coppice, self.folder, self.images = coppice, folder, images
        self.failures = []
        self.served = []

    def check(self, condition, text):
        if not condition:
            raise AssertionError(text)

    def step(self, name, function, *arguments):
        begin = time.monotonic()
        try:
            note = function(*arguments)
            print(f"  ok    {name} ({time.monotonic() - begin:.1f} s{', ' + note if note else ''})", flush=True)
        except (AssertionError, RuntimeError, OSError) as error:
            self.failures.append(name)
            print(f"  FAIL  {name}: {error}", flush=True)

    # ---- The cluster ----------------------------------------------------------------------------

    def start_cluster(self):
        """A server that keeps its data, so that it can come back."""
        self.cluster = Cluster(self.coppice, self.folder, 0, 0)
        self.cluster.commands = {"server": [
            "up", "--listen", f"127.0.0.1:{self.cluster.port}", "--data", str(self.folder / "data"),
            "--write-kubeconfig", str(self.cluster.kubeconfig), "--nodes", "16", "--gpus", "8",
            "--topology", "2x2x2"]}
        self.cluster.start("server")
        demo.fill(self.cluster)
        self.cluster.patch("/api/v1/nodes/node-5", {"spec": {"unschedulable": True}})
        self.cluster.patch("/api/v1/nodes/node-11", {"spec": {"taints": [
            {"key": "dedicated", "value": "serving", "effect": "NoSchedule"}]}})

    def ui(self, name, *arguments):
        self.served.append(Served([self.coppice, "ui", *arguments], self.folder / f"{name}.log"))
        return self.served[-1]

    def admin_ui(self, name):
        return self.ui(name, "--kubeconfig", str(self.cluster.kubeconfig))

    # ---- Steps ----------------------------------------------------------------------------------

    def every_view(self, tab, served):
        tab.size(1280, 800)
        tab.open(served.url)
        tab.wait(COMPLETE["overview"], "the overview")
        time.sleep(4)  # Until the engine has explained what waits.
        for theme in ("light", "dark"):
            tab.theme(theme)
            for name, path in VIEWS.items():
                tab.open(served.base + path)
                tab.wait(COMPLETE[name], f"the view {name}")
                time.sleep(0.4)
                found = tab.run(ACCESSIBILITY)
                self.check(not found, f"{name}, {theme}: " + "; ".join(found[:6]))
                self.picture(tab, name if theme == "light" else f"{name}-dark")
        tab.theme("light")
        self.check(not tab.errors, f"errors in the page: {tab.errors[:3]}")
        self.check(tab.hosts <= {served.base.split("//")[1]}, f"asked other hosts: {tab.hosts}")

    def picture(self, tab, name):
        path = self.images / f"page-{name}.png"
        tab.screenshot(path)
        size = path.stat().st_size
        if size > LARGEST_IMAGE:
            raise AssertionError(f"{path.name} has {size} bytes, more than {LARGEST_IMAGE}")

    def sizes(self, tab, served):
        for name, width, height, phone in (("wide", 2560, 1300, False), ("phone", 390, 844, True)):
            tab.size(width, height, phone)
            for view, path in VIEWS.items():
                tab.open(served.base + path)
                tab.wait(COMPLETE[view], f"{view} at {width} px")
                time.sleep(0.3)
                found = tab.run(ACCESSIBILITY)
                self.check(not found, f"{view} at {width} px: " + "; ".join(found[:6]))
                if (name, view) in (("wide", "map"), ("phone", "overview"), ("phone", "waiting"), ("phone", "map")):
                    self.picture(tab, f"{view}-{name}")
        tab.size(1280, 800)

    def live(self, tab, served):
        """A change is visible soon after the write: within a second, unless the machine is busy."""
        tab.open(served.base + "/workloads")
        tab.wait(COMPLETE["workloads"])
        path, body = demo.job("brand-new", "research", 1, 1)
        shown = "document.body.innerText.includes('brand-new')"
        self.check(not tab.run(shown), "it is there already")
        self.cluster.call("POST", path, body)
        took = tab.wait(shown, "the new Job", 5)
        self.cluster.call("DELETE", f"{path}/brand-new", {"propagationPolicy": "Background"})
        gone = tab.wait(f"!{shown}", "the deletion", 10)
        return f"visible after {took:.2f} s, gone after {gone:.2f} s"

    def keyboard_and_filter(self, tab, served):
        tab.open(served.base + "/workloads")
        tab.wait(COMPLETE["workloads"])
        tab.press("/")
        self.check(tab.run("document.activeElement.name === 'q'"), "/ does not focus the text filter")
        tab.call("Input.insertText", text="finetune")
        tab.wait("document.querySelectorAll('.rows .row').length === 1", "one row for the text")
        self.check(tab.run("location.search") == "?q=finetune", "the filter is not in the URL")
        tab.press("Escape")
        tab.press("5")
        tab.wait("location.pathname === '/waiting'", "the key 5")
        tab.open(served.base + "/workloads?ns=team-a")
        tab.wait("document.querySelectorAll('.rows .row').length > 2")
        self.check(tab.run("[...document.querySelectorAll('.rows .row small')].every(e => e.textContent.endsWith('team-a'))"),
                   "the namespace filter shows others")
        tab.open(served.base + "/workloads?q=matches-nothing")
        tab.wait("document.body.innerText.includes('No workload matches the filter')")
        tab.open(served.base + "/workloads")
        tab.wait(COMPLETE["workloads"])
        tab.run("document.querySelector('.rows .row').focus()")
        tab.press("Enter")
        tab.run("document.querySelector('.rows .row')?.click()")
        tab.wait("location.pathname.startsWith('/workloads/')", "Enter on a row")

    def hover(self, tab, served):
        """Hovering over a gang's cell names it, and lights up its cells."""
        tab.open(served.base + "/map")
        tab.wait(COMPLETE["map"])
        time.sleep(0.5)
        box = tab.run("(() => { const r = document.querySelector('canvas').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()")
        for i in range(400):
            x = box[0] + box[2] * (0.1 + 0.8 * (i % 20) / 20)
            y = box[1] + box[3] * (0.1 + 0.8 * (i // 20) / 20)
            tab.mouse("mouseMoved", x, y)
            if tab.run("!document.querySelector('.tip').hidden && document.querySelector('canvas').classList.contains('over-cell')"):
                break
        tip = tab.run("document.querySelector('.tip').innerText")
        self.check("GPU" in tip and "queue" in tip, f"the tip says: {tip}")
        time.sleep(0.3)
        self.picture(tab, "map-hover")
        tab.mouse("mousePressed", x, y, button="left", clickCount=1)
        tab.mouse("mouseReleased", x, y, button="left", clickCount=1)
        tab.wait("location.pathname.startsWith('/workloads/')", "a click on a cell")

    def no_such_name(self, tab, served):
        tab.open(served.base + "/workloads/default/Job/no-such-job")
        tab.wait("document.body.innerText.includes('there is no Job \"no-such-job\"')")
        tab.open(served.base + "/nonsense")
        tab.wait("document.body.innerText.includes('there is no such page')")

    def one_namespace(self, browser):
        """A user with rights in team-a sees that, and is told what is missing."""
        served = self.ui("narrow", "--kubeconfig", self.narrow_user())
        tab = browser.tab()
        with contextlib.closing(Closing(served)):
            tab.size(1280, 800)
            tab.open(served.url)
            tab.wait("document.body.innerText.includes('Only namespace team-a is shown')", "the notice")
            tab.wait("document.body.innerText.includes('because you may not list it: ')")
            tab.open(served.base + "/workloads")
            tab.wait("document.querySelectorAll('.rows .row').length >= 3")
            self.check(tab.run("[...document.querySelectorAll('.rows .row small')].every(e => e.textContent.endsWith('team-a'))"),
                       "another namespace is shown")
            self.picture(tab, "one-namespace")
            tab.open(served.base + "/workloads/default/Job/eval")
            tab.wait("document.body.innerText.includes('or you may not see it')")
            tab.open(served.base + "/workloads/team-a/Job/notebook")
            tab.wait("document.querySelector('.explanation-card')", "why, with few rights")

    def narrow_user(self):
        call = self.cluster.call
        rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/team-a"
        call("POST", "/api/v1/namespaces/team-a/serviceaccounts", {"metadata": {"name": "narrow"}})
        call("POST", f"{rbac}/roles", {"metadata": {"name": "narrow"}, "rules": [
            {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]})
        call("POST", f"{rbac}/rolebindings", {
            "metadata": {"name": "narrow"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "narrow"},
            "subjects": [{"kind": "ServiceAccount", "name": "narrow", "namespace": "team-a"}]})
        token = call("POST", "/api/v1/namespaces/team-a/serviceaccounts/narrow/token", {"spec": {}})[1]
        path = self.folder / "narrow.kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "x",
            "clusters": [{"name": "x", "cluster": {"server": f"https://127.0.0.1:{self.cluster.port}",
                                                   "insecure-skip-tls-verify": True}}],
            "users": [{"name": "x", "user": {"token": token["status"]["token"]}}],
            "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x", "namespace": "team-a"}}]}))
        return str(path)

    def refused(self, served):
        """No token, a strange Host, another site, or a write: refused."""
        host = served.base.split("//")[1]
        token = served.url.split("token=")[1]
        cookie = {"Cookie": f"coppice-page-{host.split(':')[1]}={token}"}

        def ask(method="GET", path="/api/state?sections=overview", **headers):
            connection = http.client.HTTPConnection(host, timeout=10)
            connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            answer.read()
            connection.close()
            return answer

        self.check(ask().status == 401, "without a cookie")
        self.check(ask(**cookie).status == 200, "with the cookie")
        self.check(ask(**{**cookie, "Cookie": cookie["Cookie"][:-1] + "x"}).status == 401, "with a wrong cookie")
        self.check(ask(**cookie, Host="evil.example").status == 421, "with a strange Host")
        self.check(ask(**cookie, Origin="https://evil.example").status == 403, "from another origin")
        self.check(ask(**cookie, Sec_Fetch_Site="cross-site").status == 403, "from another site")
        self.check(ask("POST", **cookie).status == 405, "a write")
        policy = ask(path="/", **cookie).headers["Content-Security-Policy"]
        self.check("default-src 'none'" in policy and "unsafe" not in policy, f"the policy is {policy}")
        first = ask(path=f"/map?token={token}&q=a")
        self.check(first.status == 303 and first.headers["Location"] == "/map?q=a", "the first visit")
        self.check("SameSite=Strict" in first.headers["Set-Cookie"] and "HttpOnly" in first.headers["Set-Cookie"], "the cookie")

    def server_away(self, tab, served):
        """The API server goes away: the page keeps what it had, with its age, and recovers."""
        tab.open(served.base + "/workloads")
        tab.wait(COMPLETE["workloads"])
        self.cluster.kill("server")
        tab.wait("document.querySelector('.notice.alert')?.innerText.includes('does not answer since')", "the alert", 20)
        self.check(tab.run(COMPLETE["workloads"]), "the rows are gone")
        self.picture(tab, "server-away")
        self.cluster.start("server")
        tab.wait("!document.querySelector('.notice.alert')", "the recovery", 60)

    def page_away(self, tab, served):
        tab.open(served.base + "/workloads")
        tab.wait(COMPLETE["workloads"])
        served.stop()
        tab.wait("document.querySelector('.notice.alert')?.innerText.includes('coppice does not answer')", "the alert", 20)
        self.check(tab.run("document.querySelectorAll('.rows .row').length > 5"), "the rows are gone")

    def snapshot(self, browser):
        """Offline, from a file; a file that is cut is refused."""
        answer = subprocess.run([self.coppice, "ui", "--snapshot", str(self.snapshot_file(cut=True))],
                                capture_output=True, text=True, timeout=30, check=False)
        self.check(answer.returncode == 1 and "--snapshot takes a complete file" in answer.stderr,
                   f"a cut snapshot: {answer.returncode} {answer.stderr}")
        served = self.ui("snapshot", "--snapshot", str(self.snapshot_file()))
        tab = browser.tab()
        with contextlib.closing(Closing(served)):
            tab.size(1280, 800)
            tab.open(served.url)
            tab.wait("document.body.innerText.includes('snapshot')")
            tab.wait("document.querySelectorAll('.tile dd')[0]?.innerText === '8'", "8 GPUs held")
            tab.open(served.base + "/waiting")
            tab.wait("document.querySelector('.rows .row .change')", "an explanation")

    def snapshot_file(self, cut=False):
        text = json.dumps(SNAPSHOT)
        path = self.folder / ("cut.json" if cut else "snapshot.json")
        path.write_text(text[:len(text) // 2] if cut else text)
        return path

    def up_page(self, browser):
        """`coppice up` prints the address of the same page."""
        log = (self.folder / "server.log").read_text(errors="replace")
        url = re.findall(r"Web page: (\S+)", log)[-1]
        tab = browser.tab()
        tab.size(1280, 800)
        tab.open(url)
        tab.wait(COMPLETE["overview"])


class Closing:
    def __init__(self, served):
        self.close = served.stop


def small_pod(name, group, node=None):
    return {"metadata": {"name": name, "namespace": "default", "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z",
                         "annotations": {"pod-group-name": group}},
            "spec": {"schedulerName": "kai-scheduler", **({"nodeName": node} if node else {}),
                     "containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]},
            "status": {"phase": "Running" if node else "Pending"}}


def small_group(name):
    return {"metadata": {"name": name, "namespace": "default", "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"queue": "team", "minMember": 1}}


SNAPSHOT = {"config": {"actions": "allocate"}, "schedulerParams": {"schedulerName": "kai-scheduler"}, "rawObjects": {
    "nodes": [{"metadata": {"name": "n1"}, "status": {
        "allocatable": {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8"},
        "conditions": [{"type": "Ready", "status": "True"}]}}],
    "queues": [{"metadata": {"name": "team", "uid": "team"}, "spec": {"resources": {"gpu": {"quota": 8}}}}],
    "podGroups": [small_group("runs"), small_group("waits")],
    "pods": [small_pod("runs", "runs", "n1"), small_pod("waits", "waits")]}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--coppice", required=True)
    parser.add_argument("--images")
    options = parser.parse_args()
    program = find_browser()
    if not program:
        print("page: SKIPPED: there is no Chromium; apt-get install chromium fonts-dejavu-core, then ./dev page")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        images = pathlib.Path(options.images or folder)
        images.mkdir(parents=True, exist_ok=True)
        run = Run(str(pathlib.Path(options.coppice).resolve()), folder, images)
        run.start_cluster()
        browser = Browser(program, folder)
        try:
            served = run.admin_ui("admin")
            tab = browser.tab()
            run.step("every view, light and dark, with accessibility", run.every_view, tab, served)
            run.step("2560 px and a phone", run.sizes, tab, served)
            run.step("live changes", run.live, tab, served)
            run.step("keyboard and filter", run.keyboard_and_filter, tab, served)
            run.step("the map lights up a gang", run.hover, tab, served)
            run.step("names that match nothing", run.no_such_name, tab, served)
            run.step("a user with rights in one namespace", run.one_namespace, browser)
            run.step("who is refused", run.refused, served)
            run.step("a snapshot", run.snapshot, browser)
            run.step("the page of coppice up", run.up_page, browser)
            run.step("the API server goes away", run.server_away, tab, served)
            run.step("coppice ui goes away", run.page_away, tab, served)
        finally:
            browser.stop()
            for each in run.served:
                each.stop()
            run.cluster.stop_all()
    print("page: " + ("FAILED: " + ", ".join(run.failures) if run.failures else "passed"))
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
