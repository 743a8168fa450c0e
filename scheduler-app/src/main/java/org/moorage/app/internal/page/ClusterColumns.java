// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.model.Node;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.api.model.Taint;
import org.moorage.app.internal.answer.NodeLabels;
import org.moorage.app.internal.page.ClusterView.PodView;
import org.moorage.app.internal.page.ClusterView.Queued;
import org.moorage.simulation.whatif.Workload;

/** Writes a cluster column by column, with each text and each set of amounts once. */
final class ClusterColumns {
    // The limit of resources other than cpu and memory, so that thousands of invented names cannot fill the page.
    private static final int MOST_OTHERS = 24;
    private static final int LONGEST_TEXT = 4000;
    private static final String CORDON_TAINT = "node.kubernetes.io/unschedulable";

    private final ClusterView view;
    private final List<ResourceName> resources;
    private final Map<String, Integer> texts = new LinkedHashMap<>();
    private final Map<List<Long>, Integer> amounts = new LinkedHashMap<>();

    /** The value of one column for a node or pod. */
    private interface Column<T> {
        void write(T row, JsonGenerator json) throws IOException;
    }

    private ClusterColumns(ClusterView view) {
        this.view = view;
        resources = resources(view);
    }

    static void write(ClusterView view, JsonGenerator json) throws IOException {
        new ClusterColumns(view).write(json);
    }

    private static List<ResourceName> resources(ClusterView view) {
        Map<String, Long> rowsByName = new HashMap<>();
        Map<String, Node> nodes = new HashMap<>();
        for (Node node : view.nodes()) {
            nodes.put(node.name(), node);
            count(node.allocatableResources(), rowsByName);
        }
        for (PodView pod : view.pods()) {
            count(requests(pod, nodes), rowsByName);
        }
        List<ResourceName> names = new ArrayList<>(List.of(ResourceName.CPU, ResourceName.MEMORY));
        rowsByName.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_OTHERS)
                .map(Map.Entry::getKey)
                .sorted(Comparator.naturalOrder())
                .forEach(name -> names.add(ResourceName.of(name)));
        return names;
    }

    private static Resources requests(PodView pod, Map<String, Node> nodes) {
        Node node = nodes.get(pod.nodeName());
        return node == null ? pod.pod().requestsWithClaims() : pod.pod().requestsOf(node);
    }

    private static void count(Resources amounts, Map<String, Long> rowsByName) {
        if (amounts.ephemeralStorage() > 0) {
            rowsByName.merge(ResourceName.EPHEMERAL_STORAGE.name(), 1L, Long::sum);
        }
        for (int i = 0; i < amounts.scalarCount(); i++) {
            if (amounts.scalarAmount(i) > 0) {
                rowsByName.merge(amounts.scalarName(i), 1L, Long::sum);
            }
        }
    }

    private void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeArrayFieldStart("resources");
        for (ResourceName resource : resources) {
            json.writeString(resource.name());
        }
        json.writeEndArray();
        writeNodes(json);
        writePods(json);
        // Known only now.
        json.writeArrayFieldStart("names");
        for (String text : texts.keySet()) {
            json.writeString(text);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("amounts");
        for (List<Long> set : amounts.keySet()) {
            json.writeStartArray();
            for (long amount : set) {
                json.writeNumber(amount);
            }
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void writeNodes(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("nodes");
        List<Node> nodes = view.nodes();
        column("name", nodes, (node, to) -> to.writeString(node.name()), json);
        column("zone", nodes, (node, to) -> to.writeNumber(text(NodeLabels.zone(node))), json);
        column("type", nodes, (node, to) -> to.writeNumber(text(NodeLabels.instanceType(node))), json);
        column("state", nodes, (node, to) -> to.writeNumber(text(state(node))), json);
        column("taints", nodes, (node, to) -> to.writeNumber(text(taints(node))), json);
        column("maxPods", nodes, (node, to) -> to.writeNumber(node.allowedPods()), json);
        column("allocatable", nodes, (node, to) -> to.writeNumber(amounts(node.allocatableResources())), json);
        json.writeEndObject();
    }

    private void writePods(JsonGenerator json) throws IOException {
        Map<String, Integer> nodes = new HashMap<>();
        Map<String, Node> nodesByName = new HashMap<>();
        for (Node node : view.nodes()) {
            nodes.put(node.name(), nodes.size());
            nodesByName.put(node.name(), node);
        }
        json.writeObjectFieldStart("pods");
        List<PodView> pods = view.pods();
        column("name", pods, (pod, to) -> to.writeString(pod.pod().name()), json);
        column("namespace", pods, (pod, to) -> to.writeNumber(text(pod.pod().namespace())), json);
        column("owner", pods, (pod, to) -> to.writeNumber(text(owner(pod))), json);
        column("priority", pods, (pod, to) -> to.writeNumber(pod.pod().spec().priority()), json);
        column("node", pods, (pod, to) -> to.writeNumber(nodes.getOrDefault(pod.nodeName(), -1)), json);
        column("state", pods, (pod, to) -> to.writeNumber(text(pod.state())), json);
        column("message", pods, (pod, to) -> to.writeNumber(text(pod.message())), json);
        column("requests", pods, (pod, to) -> to.writeNumber(amounts(requests(pod, nodesByName))), json);
        if (pods.stream().anyMatch(pod -> pod.queued().isPresent())) {
            column(
                    "forSeconds",
                    pods,
                    (pod, to) -> to.writeNumber(
                            pod.queued().map(ClusterColumns::seconds).orElse(-1L)),
                    json);
            column(
                    "attempts",
                    pods,
                    (pod, to) ->
                            to.writeNumber(pod.queued().map(Queued::attempts).orElse(-1)),
                    json);
        }
        json.writeEndObject();
    }

    private static long seconds(Queued queued) {
        return Math.max(0, queued.since().toSeconds());
    }

    private static <T> void column(String name, List<T> rows, Column<T> column, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart(name);
        for (T row : rows) {
            column.write(row, json);
        }
        json.writeEndArray();
    }

    private int text(String text) {
        String shown = text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + " …";
        return number(shown, texts);
    }

    private int amounts(Resources of) {
        List<Long> set = new ArrayList<>(resources.size());
        for (ResourceName resource : resources) {
            set.add(of.amount(resource));
        }
        return number(set, amounts);
    }

    private static <T> int number(T value, Map<T, Integer> numbers) {
        numbers.putIfAbsent(value, numbers.size());
        return Objects.requireNonNull(numbers.get(value));
    }

    private static String state(Node node) {
        List<String> words = new ArrayList<>();
        if (node.unschedulable()) {
            words.add("cordoned");
        }
        if (!node.conditions().getOrDefault("Ready", "True").equals("True")) {
            words.add("not ready");
        }
        return String.join(", ", words);
    }

    private static String taints(Node node) {
        List<String> shown = new ArrayList<>();
        for (Taint taint : node.taints()) {
            if (!taint.key().equals(CORDON_TAINT)) {
                shown.add(taint.key() + (taint.value().isEmpty() ? "" : "=" + taint.value()) + ":" + taint.effect());
            }
        }
        return String.join(", ", shown);
    }

    private static String owner(PodView pod) {
        if (pod.pod().metadata().controller().isEmpty()) {
            return "";
        }
        Workload owner = Workload.of(pod.pod());
        return owner.kind() + " " + owner.name();
    }
}
