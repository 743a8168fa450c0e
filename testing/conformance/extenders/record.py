#!/usr/bin/env python3
"""Records extender-requests.jsonl of ExtenderRequestsTest anew: what the real kube-scheduler asks two extenders, on a control plane of its own.

    record.py

The objects are those of the file as it is, created again: two nodes, a pod on each, one that fits beside them, one that needs their room.
"""
import http.server
import json
import pathlib
import subprocess
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
FILE = HERE / "../src/test/resources/org/moorage/conformance/extender-requests.jsonl"
PATHS = {f"/{name}/{verb}" for name in ("whole", "names") for verb in ("filter", "prioritize", "preempt")}
requests = {}


class Extender(http.server.BaseHTTPRequestHandler):
    """Leaves everything as it is."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        requests.setdefault(self.path, {"path": self.path, "contentType": self.headers["Content-Type"], "body": body})
        if self.path.endswith("prioritize"):
            answer = []
        elif self.path.endswith("filter"):
            answer = {"Nodes": body["Nodes"], "NodeNames": body["NodeNames"]}
        else:
            left = {n: {"Pods": [{"UID": p["metadata"]["uid"]} for p in v["Pods"]]} for n, v in (body["NodeNameToVictims"] or {}).items()}
            answer = {"NodeNameToMetaVictims": dict(left, **(body["NodeNameToMetaVictims"] or {}))}
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


def created(kind, o):
    """An object as it was before the API server took it."""
    for field in ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"):
        o["metadata"].pop(field, None)
    return dict({"apiVersion": "v1", "kind": kind}, **o)


def main():
    old = {r["path"]: r["body"] for r in map(json.loads, FILE.read_text().splitlines())}
    nodes = [created("Node", n) for n in old["/whole/filter"]["Nodes"]["items"]]
    low = [created("Pod", p) for v in old["/whole/preempt"]["NodeNameToVictims"].values() for p in v["Pods"]]
    web, big = created("Pod", old["/whole/filter"]["Pod"]), created("Pod", old["/whole/preempt"]["Pod"])
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": big["spec"]["priority"]}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Extender)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    extenders = [{"urlPrefix": f"http://127.0.0.1:{server.server_port}/{name}", "filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 1,
                  "preemptVerb": "preempt", "nodeCacheCapable": name == "names"} for name in ("whole", "names")]
    cluster = HERE.parent / "cluster"
    binaries = pathlib.Path(subprocess.run([cluster / "build.sh"], check=True, capture_output=True, text=True).stdout.split("\n")[-2])
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = subprocess.run([cluster / "up.sh", folder, "24100"], check=True, capture_output=True, text=True).stdout.strip()
        scheduler = None

        def kubectl(*args, given=None):
            return subprocess.run([binaries / "kubectl", "--kubeconfig", kubeconfig, *args], check=True, capture_output=True, text=True,
                                  input=json.dumps(given) if given else None).stdout

        def until(what):
            for _ in range(600):
                if what():
                    return
                time.sleep(0.1)
            raise TimeoutError(f"asked so far: {sorted(requests)}")
        try:
            until(lambda: "default" in kubectl("get", "namespaces", "-o", "name"))
            for o in [high] + nodes + low:
                kubectl("create", "-f", "-", given=o)
            for n in nodes:
                kubectl("patch", "node", n["metadata"]["name"], "--subresource=status", "--type=merge", "-p", json.dumps({"status": n["status"]}))
            config = pathlib.Path(folder) / "config.json"
            config.write_text(json.dumps({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "extenders": extenders,
                                          "leaderElection": {"leaderElect": False}, "clientConnection": {"kubeconfig": kubeconfig}}))
            scheduler = subprocess.Popen([binaries / "kube-scheduler", "--config", config, "--secure-port=0"], stderr=subprocess.DEVNULL)
            kubectl("create", "-f", "-", given=web)
            until(lambda: kubectl("get", "pod", "web", "-o", "jsonpath={.spec.nodeName}"))
            kubectl("create", "-f", "-", given=big)
            until(lambda: requests.keys() >= PATHS)
        finally:
            if scheduler:
                scheduler.terminate()
                scheduler.wait()
            subprocess.run([cluster / "down.sh", folder], check=True)
            server.shutdown()
    FILE.write_text("".join(json.dumps(requests[p], separators=(",", ":")) + "\n" for p in sorted(requests)))


if __name__ == "__main__":
    main()
