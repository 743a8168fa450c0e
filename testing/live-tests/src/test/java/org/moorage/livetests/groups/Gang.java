// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.groups;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A gang: a pod group and its pods, all of which must start together. Each pod requests one CPU and 1Gi.
 *
 * @param pool the nodes that its pods may be scheduled to
 * @param priorityClass empty for none
 * @param more further fields of the group's spec, starting with a comma
 */
record Gang(String name, int size, String pool, String priorityClass, String more) {
    static Gang of(String name, int size) {
        return new Gang(name, size, "main", "", "");
    }

    Gang in(String otherPool) {
        return new Gang(name, size, otherPool, priorityClass, more);
    }

    Gang ofPriority(String otherClass) {
        return new Gang(name, size, pool, otherClass, more);
    }

    Gang with(String spec) {
        return new Gang(name, size, pool, priorityClass, more + ", " + spec);
    }

    /** Returns the prefix of its pods' names. */
    String prefix() {
        return name + "-";
    }

    String group() {
        return """
                {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "%s"},
                 "spec": {"schedulingPolicy": {"gang": {"minCount": %d}}, "priorityClassName": "%s"%s}}""".formatted(name, size, priorityClass, more);
    }

    String pod(int number) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s%d"},
                 "spec": {"schedulingGroup": {"podGroupName": "%s"}, "priorityClassName": "%s",
                  "nodeSelector": {"pool": "%s"}, "terminationGracePeriodSeconds": 0, "containers": [{"name": "c",
                   "image": "i", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]}}""".formatted(prefix(), number, name, priorityClass, pool);
    }

    List<String> pods() {
        return IntStream.range(0, size).mapToObj(this::pod).toList();
    }
}
