#!/usr/bin/env python3
"""Makes a whole cluster for "oracle judge": some nodes, some running pods, many pending ones; one JSON document a line.

    gen_cluster.py SEED [PODS] > cluster.jsonl
    moorage simulate --config testing/conformance/oracle/no-preemption.yaml --trace trace.json cluster.jsonl && oracle judge < trace.json

All nodes must be scored and nobody preempted, since the judge replays each step on the cluster that the steps before left.
"""
import json
import random
import sys

import gen


def main():
    seed, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    w = gen.World(random.Random(f"cluster/{seed}"))
    w.namespaces()
    for n in w.nodes(20, 40):
        if w.chance(0.2):
            n["spec"]["taints"] = gen.taints(w)
        if w.chance(0.4):
            n["status"]["images"] = [{"names": ["nginx:1.27"], "sizeBytes": 70_000_000},
                                     {"names": ["app:latest"], "sizeBytes": 400_000_000}]

    def spec():
        s = w.podspec()
        a = gen.pod_affinity(w, p=0.1)
        if a:
            s["affinity"] = a
        if w.chance(0.05):
            s["containers"][0]["ports"] = gen.host_ports(w)
        return s

    w.existing(10, 60, spec=spec, prio=lambda: w.pick([0, 0, 10, 100]))
    for i in range(count):
        s = spec()
        if w.chance(0.2):
            s.setdefault("affinity", {})["nodeAffinity"] = gen.node_affinity(w, 0.3, 0.8)
        if w.chance(0.3):
            s["topologySpreadConstraints"] = [gen.spread(w, soft=w.chance(0.7))]
        if w.chance(0.3):
            s["tolerations"] = gen.tolerations(w)
        w.pod(f"p{i}", spec=s, prio=w.pick([0, 50, 200]))
    for o in w.objects:
        print(json.dumps(o, separators=(",", ":")))


if __name__ == "__main__":
    main()
