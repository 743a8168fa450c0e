#!/usr/bin/env python3
"""Records vectors/admission.jsonl: what the real kube-apiserver makes of new pods and claims, or how it refuses them, on a control plane of its own.

    record.py [BASE_PORT]

Each case has a namespace; its other objects are created before, and those without a namespace deleted after it.
"""
import json
import pathlib
import re
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
FILE = HERE / "../vectors/admission.jsonl"
PATHS = {"Pod": "api/v1/%s/pods", "PersistentVolumeClaim": "api/v1/%s/persistentvolumeclaims", "LimitRange": "api/v1/%s/limitranges",
         "Namespace": "api/v1/namespaces", "PriorityClass": "apis/scheduling.k8s.io/v1/priorityclasses",
         "RuntimeClass": "apis/node.k8s.io/v1/runtimeclasses", "StorageClass": "apis/storage.k8s.io/v1/storageclasses"}
DEFAULT_CLASS = {"storageclass.kubernetes.io/is-default-class": "true"}


def container(name="c", requests=None, limits=None, **more):
    resources = {k: v for k, v in (("requests", requests), ("limits", limits)) if v is not None}
    return {"name": name, "image": "registry.example.org/i:1", **({"resources": resources} if resources else {}), **more}


def pod(*containers, name="p", labels=None, meta=None, **spec):
    metadata = {"name": name, **(meta or {}), **({"labels": labels} if labels else {})}
    if name is None:
        del metadata["name"]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": list(containers) or [container()], **spec}}


def claim(storage, annotations=None, **spec):
    metadata = {"name": "p", **({"annotations": annotations} if annotations else {})}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata,
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}, **spec}}


def priority(name, value, **more):
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value, **more}


def limits(*items, name="l"):
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": name}, "spec": {"limits": list(items)}}


def item(type="Container", **lists):
    return {"type": type, **lists}


def runtime(overhead=None, **scheduling):
    return {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "vm"}, "handler": "vm",
            **({"overhead": {"podFixed": overhead}} if overhead else {}), **({"scheduling": scheduling} if scheduling else {})}


def storage(name, annotations=None):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "example.org/p",
            "metadata": {"name": name, **({"annotations": annotations} if annotations else {})}}


def tolerate(key, effect="NoExecute", **more):
    return {"key": key, "operator": "Exists", "effect": effect, **more}


NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
CPU = item(max={"cpu": "1"}, min={"cpu": "100m"})
WIDE = item(default={"cpu": "500m", "memory": "512Mi"}, defaultRequest={"cpu": "250m", "memory": "256Mi"})
TERM = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": ["version"], "mismatchLabelKeys": ["tenant"]}
LABELS = {"app": "web", "version": "2", "tenant": "t"}
VM = dict(runtimeClassName="vm")

CASES = [
    # Priority
    ("no class", [], pod()),
    ("a class", [priority("gold", 100, preemptionPolicy="Never")], pod(priorityClassName="gold")),
    ("a class that is not there", [], pod(priorityClassName="gold")),
    ("the global default", [priority("usual", 7, globalDefault=True)], pod()),
    ("a class besides the global default", [priority("usual", 7, globalDefault=True), priority("low", -5)], pod(priorityClassName="low")),
    ("a class that every cluster has", [], pod(priorityClassName="system-node-critical")),
    ("the priority of its class", [priority("gold", 100)], pod(priorityClassName="gold", priority=100)),
    ("another priority than that of its class", [priority("gold", 100)], pod(priorityClassName="gold", priority=5)),
    ("a priority without a class", [], pod(priority=5)),
    ("another preemption policy than that of its class", [priority("gold", 100)], pod(priorityClassName="gold", preemptionPolicy="Never")),
    ("another preemption policy than that of no class", [], pod(preemptionPolicy="Never")),
    # DefaultTolerationSeconds
    ("a toleration of its own of nodes that are not ready", [], pod(tolerations=[tolerate(NOT_READY, tolerationSeconds=5)])),
    ("a toleration of everything", [], pod(tolerations=[{"operator": "Exists"}])),
    ("a toleration of everything that has one effect", [], pod(tolerations=[{"operator": "Exists", "effect": "NoSchedule"}])),
    ("a toleration of both without an effect", [], pod(tolerations=[{"key": NOT_READY, "operator": "Exists"}, {"key": UNREACHABLE, "operator": "Equal"}])),
    # LimitRanger, defaults
    ("defaults", [limits(WIDE)], pod()),
    ("defaults for what a container leaves out", [limits(WIDE)], pod(container(requests={"cpu": "10m"}), container("d", limits={"memory": "300Mi"}))),
    ("defaults of init containers and sidecars", [limits(WIDE)],
     pod(initContainers=[container("i"), container("s", requests={"cpu": "20m"}, restartPolicy="Always")])),
    ("defaults by the maximum", [limits(item(max={"cpu": "2", "memory": "1Gi"}))], pod()),
    ("defaults by the minimum", [limits(item(min={"cpu": "50m"}))], pod()),
    ("defaults by default limits and the minimum", [limits(item(default={"memory": "64Mi"}, min={"cpu": "50m"}))], pod()),
    ("defaults of an extended resource", [limits(item(default={"example.com/gpu": "1"}, defaultRequest={"ephemeral-storage": "1Gi"}))], pod()),
    ("limits that a container has are requested, whatever the default", [limits(WIDE)], pod(container(limits={"cpu": "2"}))),
    ("defaults finer than a thousandth", [limits(item(default={"cpu": "1500u"}))], pod()),
    ("a default limit below the request", [limits(WIDE)], pod(container(requests={"cpu": "2", "memory": "1Gi"}))),
    ("a default limit below the request of an init container", [limits(item(default={"cpu": "500m"}))], pod(initContainers=[container("i", requests={"cpu": "0.75"})])),
    # LimitRanger, bounds
    ("below the minimum", [limits(CPU)], pod(container(requests={"cpu": "50m"}))),
    ("a limit below the minimum", [limits(CPU)], pod(container(limits={"cpu": "50m"}, requests={"cpu": "50m"}))),
    ("a limit above the maximum", [limits(CPU)], pod(container(limits={"cpu": "1500m"}))),
    ("above the maximum, in the notation of the API server", [limits(item(max={"memory": "1024Mi"}))], pod(container(limits={"memory": "1.5Gi"}))),
    ("above the maximum, in bytes", [limits(item(max={"memory": "1000000000"}))], pod(container(limits={"memory": "1500000000"}))),
    ("above the maximum, with an exponent", [limits(item(max={"memory": "1e9"}))], pod(container(limits={"memory": "2e9"}))),
    ("above the maximum, in fractions", [limits(item(max={"cpu": "0.5"}))], pod(container(limits={"cpu": "1.25"}))),
    ("above the maximum of a container and of an init container", [limits(CPU)],
     pod(container(limits={"cpu": "2"}), initContainers=[container("i", limits={"cpu": "3"})])),
    ("beyond two bounds of one container", [limits(item(max={"cpu": "1", "memory": "1Gi"}))], pod(container(limits={"cpu": "2", "memory": "2Gi"}))),
    ("beyond bounds of two containers in the same way", [limits(CPU)], pod(container(limits={"cpu": "2"}), container("d", limits={"cpu": "2"}))),
    ("beyond the ratio", [limits(item(maxLimitRequestRatio={"cpu": "2"}))], pod(container(requests={"cpu": "300m"}, limits={"cpu": "1"}))),
    ("at the ratio", [limits(item(maxLimitRequestRatio={"cpu": "2.5"}))], pod(container(requests={"cpu": "400m"}, limits={"cpu": "1"}))),
    ("a ratio without a request", [limits(item(maxLimitRequestRatio={"cpu": "2"}))], pod()),
    ("a ratio without a limit", [limits(item(maxLimitRequestRatio={"cpu": "2"}))], pod(container(requests={"cpu": "300m"}))),
    ("the maximum of the pod", [limits(item("Pod", max={"cpu": "1"}))], pod(container(limits={"cpu": "600m"}), container("d", limits={"cpu": "700m"}))),
    ("the maximum of the pod without limits", [limits(item("Pod", max={"memory": "1Gi"}))], pod()),
    ("the minimum of the pod", [limits(item("Pod", min={"memory": "1Gi"}))],
     pod(container(requests={"memory": "300Mi"}), container("d", requests={"memory": "212Mi"}))),
    ("the ratio of the pod", [limits(item("Pod", maxLimitRequestRatio={"memory": "3"}))], pod(container(requests={"memory": "100Mi"}, limits={"memory": "1Gi"}))),
    ("the maximum of the pod, with an init container that is the largest", [limits(item("Pod", max={"cpu": "1"}))],
     pod(container(limits={"cpu": "500m"}), initContainers=[container("i", limits={"cpu": "1100m"})])),
    ("the maximum of the pod, with a sidecar", [limits(item("Pod", max={"cpu": "1"}))],
     pod(container(limits={"cpu": "600m"}), initContainers=[container("s", limits={"cpu": "600m"}, restartPolicy="Always")])),
    ("the maximum of the pod, of what it says as a whole", [limits(item("Pod", max={"cpu": "1"}))],
     pod(container(requests={"cpu": "100m"}), resources={"requests": {"cpu": "1"}, "limits": {"cpu": "2"}})),
    ("two limit ranges that agree", [limits(item(max={"cpu": "1"}, default={"cpu": "1"})), limits(item("Pod", max={"memory": "1Gi"}), name="m")],
     pod(container(limits={"memory": "2Gi"}))),
    ("the name of a pod that has none yet", [limits(CPU)], pod(container(limits={"cpu": "2"}), name=None, meta={"generateName": "web-"})),
    # Resources of the pod as a whole
    ("limits of the pod by those of its containers", [limits(item(default={"cpu": "500m"}))], pod(container(), container("d"), resources={"requests": {"cpu": "1"}})),
    ("limits of the pod by those of its containers, above its request", [], pod(container(requests={"cpu": "1"}, limits={"cpu": "2"}), resources={"requests": {"cpu": "1500m"}})),
    ("containers that request more than the pod", [limits(item(defaultRequest={"cpu": "800m"}))], pod(container(), container("d"), resources={"requests": {"cpu": "1"}})),
    ("a container that may use more than the pod", [limits(item(default={"cpu": "3"}, defaultRequest={"cpu": "100m"}))],
     pod(resources={"requests": {"cpu": "1"}, "limits": {"cpu": "2"}})),
    # RuntimeClass
    ("a runtime class with overhead", [runtime({"cpu": "250m", "memory": "120Mi"})], pod(**VM)),
    ("a runtime class without anything", [runtime()], pod(**VM)),
    ("a runtime class that is not there", [], pod(runtimeClassName="gone")),
    ("a runtime class that is not there, of a pod that has no name yet", [], pod(name=None, meta={"generateName": "web-"}, runtimeClassName="gone")),
    ("the overhead of its class", [runtime({"memory": "1Gi"})], pod(overhead={"memory": "1024Mi"}, **VM)),
    ("another overhead than that of its class", [runtime({"memory": "1Gi"})], pod(overhead={"memory": "1Mi"}, **VM)),
    ("an overhead without a class", [], pod(overhead={"memory": "1Mi"})),
    ("an overhead where the class has none", [runtime()], pod(overhead={"memory": "1Mi"}, **VM)),
    ("the node selector of its class", [runtime(nodeSelector={"runtime": "vm", "zone": "a"})], pod(nodeSelector={"disk": "ssd", "zone": "a"}, **VM)),
    ("a node selector that its class contradicts", [runtime(nodeSelector={"zone": "a"})], pod(nodeSelector={"zone": "b"}, **VM)),
    ("the tolerations of its class", [runtime(tolerations=[tolerate("vm", "NoSchedule")])], pod(tolerations=[tolerate("own", "NoSchedule")], **VM)),
    ("tolerations of its class that cover those of the pod", [runtime(tolerations=[{"operator": "Exists", "effect": "NoExecute"}, tolerate("own", "NoSchedule")])],
     pod(tolerations=[{"key": "own", "operator": "Equal", "value": "v", "effect": "NoSchedule"}, tolerate("own", "NoSchedule")], **VM)),
    ("tolerations of its class that last longer", [runtime(tolerations=[tolerate(NOT_READY, tolerationSeconds=600), tolerate(UNREACHABLE, tolerationSeconds=60)])], pod(**VM)),
    ("tolerations of its class without an operator", [runtime(tolerations=[{"key": "own", "value": "v", "effect": "NoSchedule"}])],
     pod(tolerations=[{"key": "own", "operator": "Equal", "value": "v", "effect": "NoSchedule"}, {"key": "own", "value": "v", "effect": "NoSchedule"}], **VM)),
    ("the overhead counts in no limit of the pod", [runtime({"cpu": "1"}), limits(item("Pod", max={"cpu": "1"}))], pod(container(limits={"cpu": "1"}), **VM)),
    # What is done before it is stored
    ("label keys of affinity", [], pod(labels=LABELS, affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]}})),
    ("label keys of spreading", [], pod(labels=LABELS, topologySpreadConstraints=[
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": ["version"]}])),
    ("what only a server or a scheduler writes", [], dict(pod(meta={"uid": "u", "resourceVersion": "", "creationTimestamp": "2026-01-01T00:00:00Z"}),
                                                          status={"phase": "Running", "nominatedNodeName": "n"})),
    ("a generated name", [], pod(name=None, meta={"generateName": "web-"})),
    ("a namespace that is being terminated", ["terminate"], pod()),
    # Claims
    ("a claim without a class", [storage("slow"), storage("fast", DEFAULT_CLASS)], claim("1Gi")),
    ("a claim where there is no default", [storage("slow")], claim("1Gi")),
    ("a claim of no class", [storage("fast", DEFAULT_CLASS)], claim("1Gi", storageClassName="")),
    ("a claim with the older annotation", [storage("fast", DEFAULT_CLASS)], claim("1Gi", {"volume.beta.kubernetes.io/storage-class": "slow"})),
    ("a claim of the first class by name", [storage("b", DEFAULT_CLASS), storage("a", {"storageclass.beta.kubernetes.io/is-default-class": "true"})], claim("1Gi")),
    ("a claim of a volume", [storage("fast", DEFAULT_CLASS)], claim("1Gi", volumeName="v")),
    ("a claim above the maximum", [limits(item("PersistentVolumeClaim", max={"storage": "1Gi"}))], claim("2Gi")),
    ("a claim below the minimum", [limits(item("PersistentVolumeClaim", min={"storage": "1Gi"}, max={"storage": "2Gi"}))], claim("512Mi")),
]


class Server:
    def __init__(self, kubeconfig):
        text = pathlib.Path(kubeconfig).read_text()
        self.url = re.search(r'server: "([^"]+)"', text)[1]
        self.token = re.search(r"token: (\w+)", text)[1]
        self.tls = ssl.create_default_context(cafile=re.search(r"certificate-authority: ([^}]+)", text)[1])

    def ask(self, method, path, body=None):
        """The answer, and whether it is a refusal."""
        request = urllib.request.Request(f"{self.url}/{path}", json.dumps(body).encode() if body else None, method=method,
                                         headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, context=self.tls) as answer:
                return json.load(answer), False
        except urllib.error.HTTPError as refusal:
            return json.load(refusal), True

    def create(self, o, namespace):
        path = PATHS[o["kind"]]
        return self.ask("POST", path % f"namespaces/{namespace}" if "%s" in path else path, o)


def created(server, o, namespace):
    answer, refused = server.create(o, namespace)
    if refused:
        raise SystemExit(f"{o['kind']}: {answer['message']}")


def record(server, number, name, objects, new):
    namespace = f"team-{number}"
    team = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    created(server, team, namespace)
    if objects == ["terminate"]:
        server.ask("DELETE", f"{PATHS['Namespace']}/{namespace}")
        objects = [dict(team, status={"phase": "Terminating"})]
    else:
        for o in objects:
            if "%s" in PATHS[o["kind"]]:
                o["metadata"]["namespace"] = namespace
            created(server, o, namespace)
    new["metadata"]["namespace"] = namespace
    time.sleep(1)  # until the server's own caches have them
    answer, refused = server.create(new, namespace)
    # Five letters of a generated name are drawn by chance.
    expect = {"refused": re.sub(r'"(\S+-)[a-z0-9]{5}"', r'"\1*"', answer["message"])} if refused else {"stored": {f: answer[f] for f in ("apiVersion", "kind", "metadata", "spec")}}
    if not refused:
        answer["metadata"] = {f: v for f, v in answer["metadata"].items() if f in ("generateName", "labels", "name", "namespace")}
        expect["stored"]["metadata"] = answer["metadata"]
        if "name" not in new["metadata"]:
            del answer["metadata"]["name"]
    for o in objects:
        if "%s" not in PATHS[o["kind"]] and o["kind"] != "Namespace":
            server.ask("DELETE", f"{PATHS[o['kind']]}/{o['metadata']['name']}")
    return {"name": f"admission: {name}", "objects": objects, "create": new, "expect": expect}


def main():
    port = sys.argv[1] if len(sys.argv) > 1 else "24200"
    cluster = HERE / "../cluster"
    with tempfile.TemporaryDirectory() as folder:
        try:
            kubeconfig = subprocess.run([cluster / "up.sh", folder, port], check=True, capture_output=True, text=True).stdout.strip()
            server = Server(kubeconfig)
            time.sleep(3)  # until it has created the classes that every cluster has
            lines = [record(server, i, *case) for i, case in enumerate(CASES, 1)]
        finally:
            subprocess.run([cluster / "down.sh", folder])
    FILE.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


main()
