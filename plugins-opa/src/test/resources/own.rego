# The smallest policy: every node is as good as any other for pods of the scheduler x, and none will do for others.
package io.k8s.scheduler

fit[node.metadata.name] := 1 if {
	some node in data.nodes
	input.pod.spec.schedulerName == "x"
}
