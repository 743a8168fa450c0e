#!/usr/bin/env python3
"""Random cases of groups that are scheduled as one, one JSON document a line, for `oracle groups`: gen_groups.py SEED COUNT

A case is {"name", "featureGates", "config"?, "objects", "group"}. Nodes differ in size, so that few ties have to be broken."""
import json
import random
import sys

import gen

ZONE, RACK, HOST = "topology.kubernetes.io/zone", "example.com/rack", "kubernetes.io/hostname"
API = "scheduling.k8s.io/v1beta1"


def nodes(w, lo=3, hi=9, small=False):
    n = w.r.randint(lo, hi)
    zones = w.r.sample(gen.ZONES, w.pick([2, 2, 3]))
    cpus = w.r.sample(range(5, 18) if small else range(3, 40), n)
    out = []
    for i in range(n):
        z = zones[i % len(zones)]
        node = w.node(i, cpu=f"{cpus[i] * 500 + 37 * i}m", mem=f"{w.r.randint(6, 40)}Gi", pods=w.pick(["110", "110", "110", "5"]), labels={ZONE: z, RACK: f"{z}-{i % 2}"})
        if w.chance(0.06):
            node["metadata"]["labels"].pop(RACK)
        if w.chance(0.1):
            node["spec"]["taints"] = [{"key": "dedicated", "value": "a", "effect": w.pick(["NoSchedule", "PreferNoSchedule"])}]
        out.append(node["metadata"]["name"])
    return out


def cpu(w, big=False):
    return w.pick(["500m", "900m", "1", "1300m", "1700m", "2"] + (["2900m", "4", "6"] if big else []))


def spec(w, size=None, big=False):
    return {"containers": [{"name": "c", "image": "app", "resources": {"requests": {"cpu": size or cpu(w, big), "memory": w.pick(["256Mi", "700Mi", "1Gi", "2Gi"])}}}]}


def group(w, name, minimum=None, prio=None, topology=None, ns="default", disruption=None, parent=None, claims=None, policy=None):
    s = {"schedulingPolicy": {"gang": {"minCount": minimum}} if minimum else {"basic": {}}}
    if prio is not None:
        s["priority"] = prio
    if topology:
        s["schedulingConstraints"] = {"topology": [{"key": topology}]}
    if disruption:
        s["disruptionMode"] = {disruption: {}}
    if parent:
        s["parentCompositePodGroupName"] = parent
    if claims:
        s["resourceClaims"] = claims
    if policy:
        s["preemptionPolicy"] = policy
    return w.add(API, "PodGroup", name, ns, s)


def composite(w, name, minimum=None, prio=None, topology=None, parent=None, disruption=None):
    s = {"schedulingPolicy": {"gang": {"minGroupCount": minimum}} if minimum else {"basic": {}}, "workloadRef": {"workloadName": "w", "templateName": name}}
    if prio is not None:
        s["priority"] = prio
    if topology:
        s["schedulingConstraints"] = {"topology": [{"key": topology}]}
    if parent:
        s["parentCompositePodGroupName"] = parent
    if disruption:
        s["disruptionMode"] = {disruption: {}}
    return w.add("scheduling.k8s.io/v1alpha3", "CompositePodGroup", name, "default", s)


def member(w, name, g, s, prio=0, node=None, **kw):
    s["schedulingGroup"] = {"podGroupName": g}
    st = {"phase": "Running", "startTime": stamp(w)} if node else {"phase": "Pending"}
    st.update(kw.pop("status", {}))
    return w.pod(name, ns="default", node=node, spec=s, prio=prio, status=st, labels=kw.pop("labels", {"app": g}), **kw)


def stamp(w):
    w.clock = getattr(w, "clock", 0) + 1
    return f"2026-01-01T{w.clock // 60:02d}:{w.clock % 60:02d}:00Z"


def others(w, names, lo=0, hi=14, prios=(0, 0, 10, 100), big=False, full=False):
    """Pods that run already; full: as many as the nodes hold, or nearly."""
    if full:
        i = 0
        for o in [o for o in w.objects if o["kind"] == "Node"]:
            left = int(o["status"]["allocatable"]["cpu"][:-1]) - w.r.randint(0, 1500)
            while left > 0:
                size = w.pick([300, 500, 900, 1300, 1700, 2600])
                w.pod(f"e{i}", ns="default", node=o["metadata"]["name"], spec=spec(w, f"{size}m"), prio=w.pick(prios), status={"phase": "Running", "startTime": stamp(w)}, labels={"app": w.pick(gen.APPS)})
                left -= size
                i += 1
        return
    for i in range(w.r.randint(lo, hi)):
        w.pod(f"e{i}", ns="default", node=w.pick(names), spec=spec(w, big=big), prio=w.pick(prios), status={"phase": "Running", "startTime": stamp(w)},
              labels={"app": w.pick(gen.APPS)})


def budgets(w):
    for app in w.some(gen.APPS):
        w.add("policy/v1", "PodDisruptionBudget", f"pdb-{app}", "default", {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}},
              status={"disruptionsAllowed": w.pick([0, 0, 1, 2]), "currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 3})


def pods(w, g, n, prio=0, big=False, start=0, same=None, **kw):
    same = cpu(w, big) if same is None and w.chance(0.7) else same
    return [member(w, f"{g}-{i}", g, spec(w, same, big), prio, **kw) for i in range(start, start + n)]


def minimum(w, n):
    """A minCount for n pods: mostly met, sometimes more than there are."""
    return w.pick([n, n, n, max(1, n - 1), max(1, n // 2), 1, n + 1 if w.chance(0.2) else n])


# ---- shapes

def shape_plain(w):
    names = nodes(w, small=w.chance(0.6))
    others(w, names, hi=24)
    n = w.r.randint(2, 12)
    prio = w.pick([0, 0, 5, 50])
    group(w, "g", minimum(w, n) if w.chance(0.8) else None, prio)
    ps = pods(w, "g", n, prio, big=w.chance(0.5))
    if w.chance(0.1):
        w.pick(ps)["spec"]["priority"] = prio + 1
    if w.chance(0.06):
        w.pick(ps)["spec"]["schedulerName"] = "other"
    if w.chance(0.06):
        w.pick(ps)["spec"]["preemptionPolicy"] = "Never"


def shape_running(w):
    """Some members run already."""
    names = nodes(w)
    others(w, names, 0, 8)
    n, there = w.r.randint(2, 8), w.r.randint(1, 5)
    topology = w.pick([None, ZONE, RACK])
    prio = w.pick([0, 10])
    group(w, "g", minimum(w, n + there) if w.chance(0.85) else None, prio, topology)
    if topology:
        w.gates["TopologyAwareWorkloadScheduling"] = True
    zone = {o["metadata"]["name"]: o["metadata"]["labels"].get(topology or ZONE) for o in w.objects if o["kind"] == "Node"}
    home = w.pick(names)
    near = [x for x in names if zone[x] == zone[home]]
    for i in range(there):
        member(w, f"run-{i}", "g", spec(w, "500m"), prio, node=w.pick(near if w.chance(0.9) else names))
    pods(w, "g", n, prio)
    if w.chance(0.3):
        c = {"type": "PodGroupInitiallyScheduled", "status": w.pick(["True", "False"]), "reason": "Scheduled", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        next(o for o in w.objects if o["kind"] == "PodGroup")["status"] = {"conditions": [c]}


def shape_topology(w):
    names = nodes(w, 4, 9, small=w.chance(0.6))
    others(w, names, 0, 18)
    n = w.r.randint(2, 9)
    w.gates["TopologyAwareWorkloadScheduling"] = True
    group(w, "g", minimum(w, n) if w.chance(0.85) else None, 0, w.pick([ZONE, ZONE, RACK, RACK, HOST, "absent"]))
    pods(w, "g", n, big=w.chance(0.4))
    if w.chance(0.3):
        args = {"NodeResourcesFit": {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}}}
        w.profile(args=args)


def shape_preempt(w):
    names = nodes(w, 3, 6, small=True)
    n = w.r.randint(2, 6)
    prio = w.pick([50, 100, 100, 1000])
    others(w, names, prios=w.pick([(0, 0, 10, 50, 200), (0, 0, 10), (0, 10, 20, 30)]), full=w.chance(0.85), lo=4, hi=14, big=True)
    budgets(w)
    topology = w.pick([None, None, ZONE])
    if topology:
        w.gates["TopologyAwareWorkloadScheduling"] = True
    g = group(w, "g", minimum(w, n) if w.chance(0.9) else None, prio, topology)
    if w.chance(0.12):
        w.gates["PodGroupPreemptionPolicy"] = True
        g["spec"]["preemptionPolicy"] = w.pick(["Never", "PreemptLowerPriority"])
    ps = pods(w, "g", n, prio, big=True)
    if g["spec"].get("preemptionPolicy") == "Never" or w.chance(0.08):
        for p in ps:
            p["spec"]["preemptionPolicy"] = "Never"


def shape_compete(w):
    """Another group of less importance holds room, to be evicted whole or one by one."""
    names = nodes(w, 3, 6, small=True)
    n = w.r.randint(2, 6)
    prio = 100
    budgets(w)
    others(w, names, 0, 8, (0, 10, 200), big=True)
    for k in range(w.r.randint(2, 4)):
        low = w.pick([0, 10, 10, 150])
        group(w, f"old{k}", w.r.randint(1, 4), low, disruption=w.pick(["all", "all", "single", None]))
        for i in range(w.r.randint(3, 6)):
            member(w, f"old{k}-{i}", f"old{k}", spec(w, w.pick(["1", "1700m", "2", "2900m"])), low, node=w.pick(names), labels={"app": w.pick(gen.APPS)})
    if w.chance(0.3):
        group(w, "late", 2, 10)
        pods(w, "late", 2, 10)
    group(w, "g", minimum(w, n), prio, disruption=w.pick([None, "all"]))
    pods(w, "g", n, prio, big=True)


def shape_gated(w):
    names = nodes(w)
    others(w, names, 0, 8)
    n = w.r.randint(2, 8)
    group(w, "g", minimum(w, n) if w.chance(0.85) else None, 0)
    for p in pods(w, "g", n):
        if w.chance(0.18):
            p["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]
    if w.chance(0.15):
        w.objects[:] = [o for o in w.objects if o["kind"] != "PodGroup"]
        group(w, "g", n, 0, ns="prod")
        group(w, "other", 1, 0)
        return


def shape_affinity(w):
    names = nodes(w, 3, 8)
    others(w, names, 0, 10)
    n = w.r.randint(2, 7)
    topology = w.pick([None, None, ZONE])
    if topology:
        w.gates["TopologyAwareWorkloadScheduling"] = True
    group(w, "g", minimum(w, n) if w.chance(0.85) else None, 0, topology)
    own = {"labelSelector": {"matchLabels": {"app": "g"}}}
    how = w.pick(["together", "apart", "apart", "zone", "spread", "prefer"])
    for p in pods(w, "g", n):
        if how == "together":
            p["spec"]["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [dict(own, topologyKey=ZONE)]}}
        elif how == "apart":
            p["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [dict(own, topologyKey=HOST)]}}
        elif how == "zone":
            p["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [dict(own, topologyKey=ZONE)]}}
        elif how == "spread":
            p["spec"]["topologySpreadConstraints"] = [dict(own, maxSkew=1, topologyKey=w.pick([ZONE, HOST]), whenUnsatisfiable="DoNotSchedule")]
        else:
            p["spec"]["affinity"] = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": w.r.randint(1, 100), "podAffinityTerm": dict(own, topologyKey=HOST)}]}}
        if w.chance(0.3):
            p["spec"]["tolerations"] = [{"operator": "Exists"}]


def shape_volumes(w):
    names = nodes(w, 3, 7)
    others(w, names, 0, 8)
    n = w.r.randint(2, 6)
    w.add("storage.k8s.io/v1", "StorageClass", "local", provisioner="kubernetes.io/no-provisioner", volumeBindingMode="WaitForFirstConsumer")
    w.add("storage.k8s.io/v1", "StorageClass", "wait", provisioner="csi.x", volumeBindingMode="WaitForFirstConsumer")
    if w.chance(0.5):
        w.add("storage.k8s.io/v1", "CSIDriver", "csi.x", spec={"storageCapacity": True})
        for i, x in enumerate(names):
            if w.chance(0.8):
                w.add("storage.k8s.io/v1", "CSIStorageCapacity", f"cap{i}", "default", storageClassName="wait", capacity=f"{w.r.randint(2, 60)}Gi", nodeTopology={"matchLabels": {HOST: x}})
    for i, x in enumerate(names):
        for j in range(w.r.randint(0, 2)):
            w.add("v1", "PersistentVolume", f"pv{i}-{j}", spec={"capacity": {"storage": f"{w.r.randint(3, 20)}Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local",
                  "persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem", "local": {"path": "/d"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [
                      {"matchExpressions": [{"key": HOST, "operator": "In", "values": [x]}]}]}}}, status={"phase": "Available"})
    topology = w.pick([None, None, ZONE])
    if topology:
        w.gates["TopologyAwareWorkloadScheduling"] = True
    group(w, "g", minimum(w, n), 0, topology)
    for i, p in enumerate(pods(w, "g", n)):
        if w.chance(0.75):
            w.add("v1", "PersistentVolumeClaim", f"data-{i}", "default", {"accessModes": ["ReadWriteOnce"], "storageClassName": w.pick(["local", "local", "wait"]), "volumeMode": "Filesystem",
                  "resources": {"requests": {"storage": w.pick(["1Gi", "4Gi", "9Gi"])}}}, status={"phase": "Pending"}, meta={"uid": f"pvc-{i}"})
            p["spec"]["volumes"] = [{"name": "d", "persistentVolumeClaim": {"claimName": f"data-{i}"}}]


def shape_claims(w):
    """Devices: one claim for the whole group, or one a pod."""
    names = nodes(w, 3, 7)
    others(w, names, 0, 6)
    n = w.r.randint(2, 6)
    w.gates["DRAWorkloadResourceClaims"] = w.chance(0.8)
    gen.dra_class(w, "gpu", ['device.driver == "gpu.example.com"'])
    zone = {o["metadata"]["name"]: o["metadata"]["labels"][ZONE] for o in w.objects if o["kind"] == "Node"}
    if w.chance(0.5):
        for z in sorted(set(zone.values())):
            if w.chance(0.85):
                gen.slice_of(w, "", [{"name": f"link-{i}"} for i in range(w.r.randint(1, 3))], pool=z, nodeSelector={"nodeSelectorTerms": [
                    {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [z]}]}]})["spec"].pop("nodeName")
    else:
        for x in names:
            if w.chance(0.85):
                gen.slice_of(w, x, [{"name": f"gpu-{i}", "attributes": {"model": {"string": w.pick(["a", "b"])}}} for i in range(w.r.randint(1, 4))])
    shared = w.chance(0.6)
    topology = w.pick([None, None, ZONE])
    if topology:
        w.gates["TopologyAwareWorkloadScheduling"] = True
    ask = {"devices": {"requests": [gen.exact("r", w.pick([1, 1, 2]))]}}
    g = group(w, "g", minimum(w, n), 0, topology, claims=[{"name": "net", "resourceClaimName": "shared"}] if shared and w.chance(0.9) else None)
    if shared:
        c = w.add("resource.k8s.io/v1", "ResourceClaim", "shared", "default", ask, status={})
        if w.chance(0.15):
            c["status"] = {"reservedFor": [{"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g", "uid": g["metadata"]["uid"]}]}
    for i, p in enumerate(pods(w, "g", n)):
        if shared and w.chance(0.92):
            claim = "shared"
        else:
            claim = f"own-{i}"
            w.add("resource.k8s.io/v1", "ResourceClaim", claim, "default", {"devices": {"requests": [gen.exact("r")]}}, status={})
        p["spec"]["resourceClaims"] = [{"name": "net", "resourceClaimName": claim}]
        p["spec"]["containers"][0]["resources"]["claims"] = [{"name": "net"}]


def shape_composite(w):
    names = nodes(w, 4, 9, small=w.chance(0.5))
    others(w, names, 0, 14, big=w.chance(0.4))
    w.gates["TopologyAwareWorkloadScheduling"] = w.gates["CompositePodGroup"] = True
    k = w.r.randint(2, 3)
    prio = w.pick([0, 100])
    composite(w, "g", w.pick([k, k, 1, None, k + 1 if w.chance(0.1) else k]), prio, w.pick([None, None, ZONE]))
    parents = ["g"] * k
    if w.chance(0.3):
        composite(w, "mid", w.pick([1, 2]), prio, w.pick([None, RACK]), parent="g")
        parents = ["g"] + ["mid"] * (k - 1)
    for j, parent in enumerate(parents):
        n = w.r.randint(1, 4)
        group(w, f"part{j}", minimum(w, n) if w.chance(0.8) else None, prio, w.pick([None, None, RACK, ZONE]), parent=parent)
        pods(w, f"part{j}", n, prio, big=w.chance(0.4))


SHAPES = [shape_plain, shape_topology, shape_preempt, shape_compete, shape_topology, shape_running, shape_affinity, shape_volumes, shape_claims, shape_composite, shape_gated, shape_preempt]


def main():
    seed, count = sys.argv[1], int(sys.argv[2])
    cases = []
    for i in range(count):
        shape = SHAPES[i % len(SHAPES)]
        w = gen.World(random.Random(f"groups/{seed}/{i}"))
        w.gates = {"GenericWorkload": True}
        if i % 12 < 2 and w.chance(0.3):
            w.gates["TopologyAwareWorkloadScheduling"] = True
        shape(w)
        c = {"name": f"groups-{shape.__name__[6:]}/{seed}/{i}", "featureGates": w.gates, "objects": w.objects, "group": "default/g"}
        if not any(o["kind"].endswith("PodGroup") and o["metadata"]["name"] == "g" and o["metadata"]["namespace"] == "default" for o in w.objects):
            c["group"] = "default/other"
        if w.config:
            c["config"] = w.config
        cases.append(c)
    for c in sorted(cases, key=lambda c: json.dumps(c["featureGates"], sort_keys=True)):
        print(json.dumps(c, separators=(",", ":")))


if __name__ == "__main__":
    main()
