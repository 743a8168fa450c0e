# Where a pod may go, and how well: `fit` is {node: weight}, a weight being from 0 to 10.
#
# The arithmetic is that of the policy that opa-kube-scheduler shipped. `originalBehavior: true` in the plugin's arguments
# (here `input.config.originalBehavior`) has its faults too; each rule below that asks for `original` says which one.
package io.k8s.scheduler

original if input.config.originalBehavior == true

blacklisted := {"127.0.0.1"}

default_cpu_milli := 100

default_memory := 209715200

annotation := input.pod.metadata.annotations["scheduler.alpha.kubernetes.io/name"]

# A pod that asks for another scheduler is not this policy's: `fit` is undefined, and the plugin has no say.
owned if annotation == "experimental"

owned if {
	not original
	not annotation
}

fit := {name: weight |
	some name, node in nodes
	feasible(name, node)
	weight := prioritize(name, node)
} if {
	owned
}

# It did not tell "no node" from "not mine".
fit := {} if {
	original
	not owned
}

# ---- What there is: the cluster's objects, with the changes that preemption tries out.

nodes[name] := node if {
	not input.candidates
	some node in data.nodes
	not node.spec.unschedulable
	name := node.metadata.name
}

nodes[name] := node if {
	some name in input.candidates
	some node in data.nodes
	node.metadata.name == name
	not node.spec.unschedulable
}

removed := {uid | some uid in input.removed}

pods_on[name][uid] := pod if {
	some uid, pod in data.pods
	not uid in removed
	name := pod.spec.nodeName
}

pods_on[name][uid] := pod if {
	some pod in input.added
	uid := pod.metadata.uid
	name := pod.spec.nodeName
}

pods_of(name) := object.get(pods_on, name, {})

# ---- Filter

# Hollow nodes, which are pods themselves, go to one node without a further look.
hollow if {
	some value in input.pod.metadata.labels
	value == "hollow-node"
}

feasible(name, _) if {
	hollow
	blacklisted[name]
}

feasible(name, node) if {
	not hollow
	not blacklisted[name]
	pods := pods_of(name)
	not port_conflict(pods)
	not disk_conflict(pods)
	resources_available(name, node, pods)
	labels_match(node)
	tolerated(node)
}

# It looked at the number alone: neither at the protocol nor at the address.
port_conflict(pods) if {
	some wanted in host_ports(input.pod)
	some pod in pods
	some taken in host_ports(pod)
	wanted.hostPort == taken.hostPort
	same_socket(wanted, taken)
}

host_ports(pod) := [port |
	some container in pod.spec.containers
	some port in container.ports
	port.hostPort > 0
]

same_socket(_, _) if original

same_socket(wanted, taken) if {
	object.get(wanted, "protocol", "TCP") == object.get(taken, "protocol", "TCP")
	addresses_meet(host_ip(wanted), host_ip(taken))
}

host_ip(port) := ip if {
	ip := port.hostIP
	ip != ""
} else := "0.0.0.0"

addresses_meet(first, second) if first == second

addresses_meet("0.0.0.0", _)

addresses_meet(_, "0.0.0.0")

# It wanted all three conflicts at once, so that it practically never had one.
disk_conflict(pods) if {
	original
	gce_conflict(pods)
	ebs_conflict(pods)
	rbd_conflict(pods)
}

disk_conflict(pods) if {
	not original
	gce_conflict(pods)
}

disk_conflict(pods) if {
	not original
	ebs_conflict(pods)
}

disk_conflict(pods) if {
	not original
	rbd_conflict(pods)
}

gce_conflict(pods) if {
	some pod in pods
	some taken in volumes_of(pod)
	some wanted in input.pod.spec.volumes
	wanted.gcePersistentDisk.pdName == taken.gcePersistentDisk.pdName
	not both_read_only(wanted.gcePersistentDisk, taken.gcePersistentDisk)
}

ebs_conflict(pods) if {
	some pod in pods
	some taken in volumes_of(pod)
	some wanted in input.pod.spec.volumes
	wanted.awsElasticBlockStore.volumeID == taken.awsElasticBlockStore.volumeID
}

rbd_conflict(pods) if {
	some pod in pods
	some taken in volumes_of(pod)
	some wanted in input.pod.spec.volumes
	wanted.rbd.image == taken.rbd.image
	object.get(wanted.rbd, "pool", "rbd") == object.get(taken.rbd, "pool", "rbd")
	some monitor in wanted.rbd.monitors
	monitor in taken.rbd.monitors
}

both_read_only(first, second) if {
	first.readOnly
	second.readOnly
}

# It looked in the wrong place.
volumes_of(pod) := object.get(pod, "volumes", []) if original

volumes_of(pod) := object.get(pod, ["spec", "volumes"], []) if not original

resources_available(name, node, pods) if {
	count(pods) < quantity(node.status.allocatable.pods)
	within(requested.memory + sum([u.memory | some u in usage_on(name)]), quantity(node.status.allocatable.memory))
	within(requested.cpu + sum([u.cpu | some u in usage_on(name)]), milli(node.status.allocatable.cpu))
}

# It refused an exact fit.
within(total, allocatable) if {
	original
	total < allocatable
}

within(total, allocatable) if {
	not original
	total <= allocatable
}

# It did not look at labels and taints of nodes.
labels_match(_) if original

labels_match(node) if {
	every key, value in object.get(input.pod, ["spec", "nodeSelector"], {}) {
		node.metadata.labels[key] == value
	}
}

tolerated(_) if original

tolerated(node) if {
	every taint in object.get(node, ["spec", "taints"], []) {
		harmless(taint)
	}
}

harmless(taint) if not taint.effect in {"NoSchedule", "NoExecute"}

harmless(taint) if {
	some toleration in input.pod.spec.tolerations
	object.get(toleration, "effect", "") in {"", taint.effect}
	tolerates(toleration, taint)
}

tolerates(toleration, taint) if {
	object.get(toleration, "operator", "Equal") in {"", "Equal"}
	toleration.key == taint.key
	object.get(toleration, "value", "") == object.get(taint, "value", "")
}

tolerates(toleration, taint) if {
	toleration.operator == "Exists"
	object.get(toleration, "key", "") in {"", taint.key}
}

# ---- Prioritize

prioritize(name, node) := ((least_requested(use) + balanced_allocation(use)) + selector_spreading(name)) / 3 if {
	used := usage_on(name)
	use := {
		"cpu": requested.cpu + sum([u.nonzero_cpu | some u in used]),
		"memory": requested.memory + sum([u.nonzero_memory | some u in used]),
		"cpu_capacity": milli(node.status.allocatable.cpu),
		"memory_capacity": quantity(node.status.allocatable.memory),
	}
}

least_requested(use) := (cpu + memory) / 2 if {
	cpu := ((use.cpu_capacity - use.cpu) * 10) / use.cpu_capacity
	memory := ((use.memory_capacity - use.memory) * 10) / use.memory_capacity
}

balanced_allocation(use) := 10 - (10 * abs(cpu - memory)) if {
	cpu := use.cpu / use.cpu_capacity
	memory := use.memory / use.memory_capacity
	cpu < 1
	memory < 1
} else := 0

selector_spreading(name) := ((most_matching - matching(name)) * 10) / most_matching if {
	count(selectors) > 0
}

# It left a pod that no controller selects without a weight, and so without a node.
selector_spreading(_) := 10 if {
	not original
	count(selectors) == 0
}

most_matching := max(array.concat([1], [matching(name) | some name, _ in pods_on]))

matching(name) := object.get(matching_on, name, 0)

matching_on := {name: number |
	some name, pods in pods_on
	number := count([1 | some pod in pods; selected(pod)])
}

selected(pod) if {
	same_namespace(pod)
	labels := object.get(pod.metadata, "labels", {})
	some selector in selectors
	selects(selector, labels)
}

# The selectors of the controllers that select this pod.
selectors contains selector if {
	some controller in data.replicationcontrollers
	same_namespace(controller)
	selector := {"labels": object.get(controller, ["spec", "selector"], {}), "expressions": []}
	count(selector.labels) > 0
	selects(selector, object.get(input.pod.metadata, "labels", {}))
}

# It knew no replica sets.
selectors contains selector if {
	not original
	some set in data.replicasets
	same_namespace(set)
	selector := {
		"labels": object.get(set, ["spec", "selector", "matchLabels"], {}),
		"expressions": object.get(set, ["spec", "selector", "matchExpressions"], []),
	}
	selects(selector, object.get(input.pod.metadata, "labels", {}))
}

selects(selector, labels) if {
	every key, value in selector.labels {
		labels[key] == value
	}
	every expression in selector.expressions {
		holds(expression, labels)
	}
}

holds(expression, labels) if {
	expression.operator == "In"
	labels[expression.key] in expression.values
}

holds(expression, labels) if {
	expression.operator == "NotIn"
	not labels[expression.key] in expression.values
}

holds(expression, labels) if {
	expression.operator == "Exists"
	_ = labels[expression.key]
}

holds(expression, labels) if {
	expression.operator == "DoesNotExist"
	not expression.key in object.keys(labels)
}

# It took pods and controllers of all namespaces for those of the pod's.
same_namespace(_) if original

same_namespace(object) if object.metadata.namespace == input.pod.metadata.namespace

# ---- What pods request: cpu in thousandths, memory in bytes

# Of the pod at hand, with what counts where it requests nothing.
requested := {"cpu": own.nonzero_cpu, "memory": own.nonzero_memory} if {
	own := usage(input.pod)
}

usage_on(name) := object.get(usages, name, [])

usages := {name: used |
	some name, pods in pods_on
	used := [usage(pod) | some pod in pods]
}

usage(pod) := {
	"cpu": sum(known_cpu),
	"memory": sum(known_memory),
	"nonzero_cpu": sum(known_cpu) + ((total - count(known_cpu)) * default_cpu_milli),
	"nonzero_memory": sum(known_memory) + ((total - count(known_memory)) * default_memory),
} if {
	total := count(pod.spec.containers)
	known_cpu := [milli(container.resources.requests.cpu) | some container in pod.spec.containers]
	known_memory := [quantity(container.resources.requests.memory) | some container in pod.spec.containers]
}

milli(value) := round(quantity(value) * 1000)

quantity(value) := units.parse(value) if is_string(value)

quantity(value) := value if is_number(value)
