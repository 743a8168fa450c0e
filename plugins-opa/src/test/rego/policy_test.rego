# The same vectors as the tests in Java: opa test src/main/resources src/test/rego src/test/resources/vectors.yaml
package io.k8s.scheduler_test

import data.io.k8s.scheduler

annotated := {"scheduler.alpha.kubernetes.io/name": "experimental"}

pod_of(c) := {
	"metadata": {
		"name": "p",
		"namespace": "default",
		"uid": "p",
		"labels": object.get(c, "labels", {"app": "nginx"}),
		"annotations": object.get(c, "annotations", annotated),
	},
	"spec": {
		"nodeSelector": object.get(c, "nodeSelector", {}),
		"volumes": object.get(c, "volumes", []),
		"containers": [{"name": "c", "resources": {"requests": c.requests}, "ports": ports(c)}],
	},
}

ports(c) := [{"containerPort": 80, "hostPort": c.hostPort}] if c.hostPort

ports(c) := [] if not c.hostPort

by_uid(objects) := {object.metadata.uid: object | some object in objects}

fit_of(c, original) := fit if {
	cluster := data.vectors.clusters[c.cluster]
	fit := scheduler.fit with input as {"pod": pod_of(c), "config": {"originalBehavior": original}}
		with data.nodes as by_uid(cluster.nodes)
		with data.pods as by_uid(object.get(cluster, "pods", []))
		with data.replicationcontrollers as by_uid(object.get(cluster, "replicationcontrollers", []))
		with data.replicasets as by_uid(object.get(cluster, "replicasets", []))
}

same(expected, fit) if {
	object.keys(expected) == object.keys(fit)
	every node, weight in expected {
		abs(fit[node] - weight) < 0.000000000001
	}
}

test_original[c.id] if {
	some c in data.vectors.cases
	same(c.original, fit_of(c, true))
}

owned := [c | some c in data.vectors.cases; c.repaired != null]

others := [c | some c in data.vectors.cases; c.repaired == null]

test_repaired[c.id] if {
	some c in owned
	same(c.repaired, fit_of(c, false))
}

test_leaves_other_schedulers_pods_alone[c.id] if {
	some c in others
	not fit_of(c, false)
}

# What preemption asks: the same node, without a pod that is on it, and with one that is not.
test_looks_at_what_preemption_tries if {
	cluster := data.vectors.clusters.full
	case := {"requests": {"cpu": "1", "memory": "1Gi"}}
	fit := scheduler.fit with input as {"pod": pod_of(case), "candidates": ["a"], "removed": ["x"]}
		with data.nodes as by_uid(cluster.nodes)
		with data.pods as by_uid(cluster.pods)
	object.keys(fit) == {"a"}
	back := scheduler.fit with input as {"pod": pod_of(case), "candidates": ["a"], "removed": ["x"], "added": cluster.pods}
		with data.nodes as by_uid(cluster.nodes)
		with data.pods as by_uid(cluster.pods)
	back == {}
}
