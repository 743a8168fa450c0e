// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.agents;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubernetes.client.openapi.JSON;
import java.util.ArrayList;
import java.util.List;

/** The nodes and pods of the vectors, as the API server's JSON. */
final class AgentObjects {
    private static final ObjectMapper JSON = new ObjectMapper();

    private AgentObjects() {}

    static ObjectNode node(String name, String cpu, String memory, String... annotations) {
        ObjectNode node = JSON.createObjectNode();
        ObjectNode metadata = node.putObject("metadata").put("name", name);
        ObjectNode values = metadata.putObject("annotations");
        for (int i = 0; i < annotations.length; i += 2) {
            values.put(annotations[i], annotations[i + 1]);
        }
        node.putObject("status").putObject("allocatable").put("cpu", cpu).put("memory", memory);
        return node;
    }

    static ObjectNode pod(String name, String cpu, String memory) {
        ObjectNode pod = JSON.createObjectNode();
        pod.putObject("metadata").put("name", name).put("namespace", "default").put("uid", name);
        ObjectNode container =
                pod.putObject("spec").putArray("containers").addObject().put("name", "c");
        ObjectNode requests =
                container.putObject("resources").putObject("requests").put("cpu", cpu);
        if (!memory.isEmpty()) {
            requests.put("memory", memory);
        }
        return pod;
    }

    /**
     * A node with 8 CPUs and 16 GiB; what is free: mean, deviation and forecast, in thousandths of a CPU and in GiB.
     */
    static ObjectNode safeNode(String cpu, String memory) {
        List<String> annotations = new ArrayList<>();
        annotate(annotations, "cpu", cpu, 1);
        annotate(annotations, "memory", memory, 1L << 30);
        return node("n", "8", "16Gi", annotations.toArray(new String[0]));
    }

    private static void annotate(List<String> annotations, String resource, String figures, long unit) {
        String[] keys = {"mean-free-", "std-free-", "forcasted-free-"};
        String[] parts = figures.split(" ");
        for (int i = 0; i < parts.length && !figures.isEmpty(); i++) {
            annotations.add(keys[i] + resource);
            annotations.add(parts[i].equals("N/A") ? "N/A" : "" + (long) (Double.parseDouble(parts[i]) * unit));
        }
    }

    /** The nodes a to f of the variables' vectors. */
    static ObjectNode[] safeNodes() {
        String[] figures = {"4000 1000", "2500 700", "2000 600", "1800 0", "8000 0", "9000 100"};
        ObjectNode[] nodes = new ObjectNode[figures.length];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = safeNode(figures[i], "8 1");
            ((ObjectNode) nodes[i].get("metadata")).put("name", "" + (char) ('a' + i));
        }
        return nodes;
    }

    /** The nodes n1 to n3 of the vectors of pigeon with two resources. */
    static ObjectNode[] pigeonNodes() {
        return new ObjectNode[] {
            node("n1", "4", "8Gi", "requested-cpu", "3000", "requested-memory", "" + (4096L << 20)),
            node("n2", "4", "8Gi", "requested-cpu", "1000", "requested-memory", "" + (2048L << 20)),
            node("n3", "4", "8Gi"),
        };
    }
}
