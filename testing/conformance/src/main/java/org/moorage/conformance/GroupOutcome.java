// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * The result of scheduling a group of pods in one cycle.
 *
 * @param values the result of each pod, the conditions that were written to groups, and the victims, as texts by name
 */
record GroupOutcome(Map<String, String> values) {
    private static final String POD = "pod ";
    private static final String CONDITION = "condition ";
    private static final String VICTIMS = "victims";

    GroupOutcome {
        values = Map.copyOf(values);
    }

    /** The pods and groups before the cycle. */
    record Before(List<Pod> pods, List<PodGroup> groups) {}

    static Before before(InMemoryCluster cluster) {
        return new Before(cluster.all(ObjectKind.POD), cluster.all(ObjectKind.POD_GROUP));
    }

    /** Returns the outcome in a cluster, after all pending writes. */
    static GroupOutcome of(Before before, InMemoryCluster cluster, Map<String, Decision> decided) {
        Map<String, String> values = new TreeMap<>();
        decided.forEach((pod, decision) -> values.put(POD + pod, text(decision, cluster)));
        for (PodGroup group : before.groups()) {
            cluster.find(ObjectKind.POD_GROUP, group.namespace(), group.name())
                    .filter(after -> !after.initiallyScheduled().equals(group.initiallyScheduled()))
                    .flatMap(PodGroup::initiallyScheduled)
                    .ifPresent(written -> values.put(
                            CONDITION + "PodGroup/" + group.key() + "/" + PodGroup.INITIALLY_SCHEDULED,
                            condition(written.status(), written.reason(), written.message())));
        }
        Set<String> victims = new TreeSet<>();
        for (Pod pod : before.pods()) {
            if (cluster.find(ObjectKind.POD, pod.namespace(), pod.name()).isEmpty()) {
                victims.add(pod.key());
            }
        }
        values.put(VICTIMS, JsonText.names(victims));
        return new GroupOutcome(values);
    }

    private static String text(Decision decision, InMemoryCluster cluster) {
        Pod pod = decision.pod();
        String nominated = cluster.find(ObjectKind.POD, pod.namespace(), pod.name())
                .map(after -> after.status().nominatedNodeName())
                .orElse("");
        return switch (decision.outcome()) {
            case SCHEDULED -> decision.nodeName();
            case UNSCHEDULABLE -> failure("Unschedulable", decision.message(), nominated);
            case ERROR -> failure("Error", decision.message(), nominated);
        };
    }

    /** Returns a recorded outcome. */
    static GroupOutcome recorded(JsonNode outcome) {
        Map<String, String> values = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : outcome.path("pods").properties()) {
            JsonNode pod = entry.getValue();
            values.put(
                    POD + entry.getKey(),
                    pod.hasNonNull("node")
                            ? pod.path("node").asText()
                            : failure(
                                    pod.path("code").asText(),
                                    pod.path("message").asText(),
                                    pod.path("nominated").asText()));
        }
        for (Map.Entry<String, JsonNode> entry : outcome.path("conditions").properties()) {
            JsonNode written = entry.getValue();
            values.put(
                    CONDITION + entry.getKey(),
                    condition(
                            written.path("status").asText(),
                            written.path("reason").asText(),
                            written.path("message").asText()));
        }
        values.put(VICTIMS, JsonText.names(new TreeSet<>(JsonText.texts(outcome.path("victims")))));
        return new GroupOutcome(values);
    }

    private static String failure(String code, String message, String nominated) {
        String kept = nominated.isEmpty() ? "" : ", nominated to " + nominated;
        return code + " \"" + message + "\"" + kept;
    }

    private static String condition(String status, String reason, String message) {
        return status + " " + reason + " \"" + message + "\"";
    }
}
