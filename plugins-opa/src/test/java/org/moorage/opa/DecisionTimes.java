// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.TestScheduler;

/**
 * Measures the time of a decision in both modes. Not a test: run its main in the module's folder, with the numbers of
 * nodes.
 */
final class DecisionTimes {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int WARM_UP = 10;
    private static final int DECISIONS = 11;
    private static final int PODS_PER_NODE = 2;

    private DecisionTimes() {}

    public static void main(String[] args) {
        for (String nodes : args) {
            for (String policy : List.of("shipped", "src/test/resources/weights")) {
                boolean isShipped = policy.equals("shipped");
                String wasm = ", timeout: 60s, policies: [" + policy + (isShipped ? "]" : ".wasm]");
                String rego = ", timeout: 60s, policies: [" + policy + (isShipped ? "]" : ".rego]");
                measure(policy + ", wasm", "mode: wasm" + wasm, Integer.parseInt(nodes));
                try (RealOpa opa = new RealOpa()) {
                    measure(
                            policy + ", server",
                            "mode: server, url: \"" + opa.url() + "\"" + rego,
                            Integer.parseInt(nodes));
                }
            }
        }
    }

    private static void measure(String name, String args, int nodes) {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            objects.add(node(i));
            for (int j = 0; j < PODS_PER_NODE; j++) {
                objects.add(pod("b" + i + "-" + j, "n" + i));
            }
        }
        try (TestScheduler scheduler = PluginTester.of(new OpaPolicy.Factory(), TestArgs.of(args))
                .cluster(objects)
                .start()) {
            long start = System.nanoTime();
            scheduler.schedule(pod("first", ""));
            long first = System.nanoTime() - start;
            long[] times = new long[DECISIONS];
            for (int i = -WARM_UP; i < DECISIONS; i++) {
                Pod pod = pod("p" + (i + WARM_UP), "");
                scheduler.cluster().apply(pod);
                start = System.nanoTime();
                scheduler.schedule(pod);
                if (i >= 0) {
                    times[i] = System.nanoTime() - start;
                }
            }
            Arrays.sort(times);
            System.out.printf(
                    "%s, %d nodes, %d pods: first %d ms, then median %.1f ms, 90%% within %.1f ms%n",
                    name,
                    nodes,
                    nodes * PODS_PER_NODE,
                    first / 1_000_000,
                    times[DECISIONS / 2] / 1e6,
                    times[DECISIONS * 9 / 10] / 1e6);
        }
    }

    private static Node node(int number) {
        ObjectNode node = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Node");
        ObjectNode metadata =
                node.putObject("metadata").put("name", "n" + number).put("uid", "node-" + number);
        ObjectNode labels = metadata.putObject("labels").put("kubernetes.io/hostname", "n" + number);
        metadata.putObject("annotations").put("weight", String.valueOf(number % 100));
        labels.put("topology.kubernetes.io/zone", "z" + number % 3);
        node.putObject("spec");
        node.putObject("status")
                .putObject("allocatable")
                .put("cpu", "8")
                .put("memory", "32Gi")
                .put("pods", "110");
        return Vectors.decode(node, Node.class);
    }

    private static Pod pod(String name, String node) {
        ObjectNode pod = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
        pod.putObject("metadata")
                .put("name", name)
                .put("namespace", "default")
                .put("uid", "pod-" + name)
                .putObject("labels")
                .put("app", "web");
        ObjectNode spec = pod.putObject("spec").put("schedulerName", "default-scheduler");
        if (!node.isEmpty()) {
            spec.put("nodeName", node);
        }
        ObjectNode container =
                spec.putArray("containers").addObject().put("name", "c").put("image", "web");
        container
                .putObject("resources")
                .putObject("requests")
                .put("cpu", "500m")
                .put("memory", "512Mi");
        return Vectors.decode(pod, Pod.class);
    }
}
