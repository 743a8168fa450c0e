# Each node has the weight that its annotation says, whatever that is. For tests.
package io.k8s.scheduler

fit := {node.metadata.name: json.unmarshal(node.metadata.annotations.weight) | some node in data.nodes} if {
	not input.pod.metadata.labels.leave
	not input.pod.metadata.labels.slow
	not input.pod.metadata.labels.list
}

fit := ["n1"] if input.pod.metadata.labels.list

fit := {"n1": count([1 | some a in many; some b in many; a == b + 1])} if {
	input.pod.metadata.labels.slow
	many := numbers.range(1, 100000)
}
