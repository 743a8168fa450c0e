// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * The contract of a plugin that signs: pods with equal signatures get equal results for a node, and the results depend
 * on nothing but that node, unless the plugin reports changes of other data. Results are cached by signature, so an
 * incomplete signature would schedule pods to unsuitable nodes.
 */
final class SignContract {
    private static final Set<String> KEPT_ANSWERS = Set.of("filter", "score");

    /** Changes of a pod that a signature may fail to include. */
    private static final List<UnaryOperator<Pods>> CHANGES = List.of(
            pod -> pod,
            pod -> pod.uid("another"),
            pod -> pod.namespace("other"),
            pod -> pod.label("app", "web"),
            pod -> pod.label("example.com/group", "other"),
            pod -> pod.annotation("example.com/note", "other"),
            pod -> pod.controlledBy("apps/v1", "ReplicaSet", "web"),
            pod -> pod.priority(1000),
            pod -> pod.toleratesAll("dedicated"),
            pod -> pod.nodeSelector("disk", "ssd"),
            pod -> pod.requests("cpu", "3"),
            pod -> pod.requests("memory", "6Gi"),
            pod -> pod.overhead("cpu", "3"),
            pod -> pod.hostPort(8080),
            pod -> pod.image("web:1"),
            pod -> pod.nominatedTo("plain"));

    private final Set<String> violations;

    SignContract(Set<String> violations) {
        this.violations = violations;
    }

    /** A pod, its signature, and the results for each node. */
    private record Signed(Pod pod, Object signature, Map<String, String> answers) {}

    /**
     * Checks a plugin.
     *
     * @param plugin the plugin of the first cluster
     * @param first a cluster
     * @param other a cluster with the same nodes and pods, and others
     */
    void verify(SignPlugin plugin, TestScheduler first, TestScheduler other) {
        List<Signed> known = new ArrayList<>();
        for (UnaryOperator<Pods> change : CHANGES) {
            for (Pods sample : PluginContract.samples()) {
                Pod pod = change.apply(sample).build();
                Optional<?> signature = plugin.sign(pod);
                if (!signature.equals(plugin.sign(pod))) {
                    violations.add("other signature the second time for pod " + pod.name());
                } else if (signature.isPresent()) {
                    Signed signed = new Signed(pod, signature.get(), answers(first, pod));
                    known.forEach(former -> compare(former, signed));
                    known.add(signed);
                    if (plugin.nodeChanges().isEmpty()) {
                        compareClusters(signed, answers(other, pod));
                    }
                }
            }
        }
    }

    private static Map<String, String> answers(TestScheduler scheduler, Pod pod) {
        Map<String, String> answers = new TreeMap<>();
        for (PluginCall answer : scheduler.evaluate(pod, List.of()).answers()) {
            if (KEPT_ANSWERS.contains(answer.method())) {
                answers.put(
                        answer.method() + " of node " + answer.nodeName(),
                        Objects.toString(answer.value(), "threw " + answer.thrown()));
            }
        }
        return answers;
    }

    private void compare(Signed first, Signed second) {
        if (!first.signature.equals(second.signature)) {
            return;
        }
        if (first.signature.hashCode() != second.signature.hashCode()) {
            violations.add("signatures of pods " + first.pod.key() + " and " + second.pod.key()
                    + " are equal and have other hash codes");
        }
        second.answers.forEach((question, answer) -> {
            String former = first.answers.get(question);
            if (former != null && !former.equals(answer)) {
                violations.add("signs " + differences(first.pod, second.pod) + " alike, and answers other: " + question
                        + ": " + former + ", then " + answer);
            }
        });
    }

    private void compareClusters(Signed signed, Map<String, String> elsewhere) {
        signed.answers.forEach((question, answer) -> {
            String other = elsewhere.get(question);
            // That node has more pods.
            if (other != null && !other.equals(answer) && !question.endsWith(" tainted")) {
                violations.add("signs pod " + signed.pod.name() + ", and answers by other nodes or pods: " + question
                        + ": " + answer + ", in a larger cluster " + other);
            }
        });
    }

    private static String differences(Pod first, Pod second) {
        return "pods " + first.key() + " " + first.labels() + " and " + second.key() + " " + second.labels();
    }
}
