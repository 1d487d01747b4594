"""A browser, driven over the DevTools protocol with nothing but the standard library."""

import base64
import http.client
import itertools
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-default-apps", "--mute-audio", "--hide-scrollbars", "--remote-debugging-port=0"]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_S = 60


class WebSocket:
    """A client of one WebSocket: text frames only."""

    def __init__(self, url):
        host, port, path = re.fullmatch(r"ws://([^:/]+):(\d+)(/.*)", url).groups()
        self.socket = socket.create_connection((host, int(port)), timeout=PATIENCE_S)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self._more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head.decode())

    def _more(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the browser has closed the connection")
        return data

    def _take(self, count):
        while len(self.buffer) < count:
            self.buffer += self._more()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = (struct.pack("!BB", 0x81, 0x80 | size) if size < 126 else
                struct.pack("!BBH", 0x81, 0xFE, size) if size < 65536 else
                struct.pack("!BBQ", 0x81, 0xFF, size))
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.socket.sendall(head + mask + masked)

    def receive(self):
        parts = []
        while True:
            first, second = self._take(2)
            size = second & 0x7F
            if size == 126:
                size = struct.unpack("!H", self._take(2))[0]
            elif size == 127:
                size = struct.unpack("!Q", self._take(8))[0]
            data = self._take(size)
            if first & 0x0F in (0, 1):
                parts.append(data)
            if first & 0x80 and parts:
                return b"".join(parts).decode()


class Tab:
    """One page. Collects what goes wrong in it, and which hosts it asks."""

    def __init__(self, url):
        self.socket = WebSocket(url)
        self.ids = itertools.count(1)
        self.errors = []
        self.hosts = set()
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        number = next(self.ids)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._note(message)

    def _note(self, message):
        params = message.get("params", {})
        if message["method"] == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif message["method"] == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif message["method"] == "Network.requestWillBeSent":
            self.hosts.add(re.sub(r"^\w+://([^/]*).*", r"\1", params["request"]["url"]))

    def run(self, expression):
        """The value of a JavaScript expression; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, what=None, seconds=PATIENCE_S):
        """Until the expression is true. Returns how long that took."""
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            # A document that is only being built has no body yet.
            if self.run(f"!!document.body && !!({expression})"):
                return time.monotonic() - begin
            time.sleep(0.05)
        text = self.run("document.body.innerText")
        raise AssertionError(f"{what or expression}: not within {seconds} s. The page says:\n{text[:1500]}")

    def open(self, url):
        self.call("Page.bringToFront")  # Browsers do not draw what is behind.
        self.call("Page.navigate", url=url)

    def size(self, width, height, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=phone)

    def theme(self, name):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": name}])

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" and len(key) == 1 else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **text)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png", optimizeForSpeed=False)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))


def find_browser():
    for folder in os.environ.get("PATH", "").split(":"):
        for name in PROGRAMS:
            path = pathlib.Path(folder) / name
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    return None


class Browser:
    def __init__(self, program, folder):
        self.folder = pathlib.Path(folder)
        with open(self.folder / "browser.log", "wb") as log:
            self.process = subprocess.Popen(
                [program, *FLAGS, f"--user-data-dir={self.folder / 'profile'}", "about:blank"],
                stdout=log, stderr=log)
        port_file = self.folder / "profile" / "DevToolsActivePort"
        deadline = time.monotonic() + PATIENCE_S
        while not port_file.exists() or not port_file.read_text().strip():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit(f"the browser does not start: {self.folder}/browser.log")
            time.sleep(0.1)
        self.port = int(port_file.read_text().split()[0])

    def tab(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request("PUT", "/json/new?about:blank")
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return Tab(answer["webSocketDebuggerUrl"])

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
