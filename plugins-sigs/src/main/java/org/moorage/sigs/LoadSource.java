// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectFields;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.prometheus.HttpDocument;
import org.moorage.prometheus.Prometheus;
import org.moorage.prometheus.Sample;
import org.moorage.sigs.NodeLoad.Metric;

/** A source of measured loads. */
interface LoadSource {
    /** The type of metrics of cpu. */
    String CPU = "CPU";
    /** The type of metrics of memory. */
    String MEMORY = "Memory";

    /**
     * Reads the loads of all nodes, and blocks for it.
     *
     * @throws RuntimeException if they cannot be read; its message is one line
     */
    Loads read();

    /**
     * The loads of all nodes.
     *
     * @param byNode the loads by node
     * @param windowEnd the end of the measured time, in seconds since 1970
     */
    record Loads(Map<String, NodeLoad> byNode, long windowEnd) {
        static final Loads NONE = new Loads(Map.of(), 0);

        static Loads of(Map<String, List<Metric>> metricsByNode, long windowEnd) {
            Map<String, NodeLoad> byNode = new HashMap<>();
            metricsByNode.forEach((node, metrics) -> {
                if (!metrics.isEmpty()) {
                    byNode.put(node, NodeLoad.of(metrics));
                }
            });
            return new Loads(Map.copyOf(byNode), windowEnd);
        }
    }

    /** A load watcher, which collects the metrics of all nodes. */
    record LoadWatcher(HttpDocument document) implements LoadSource {
        static final String PATH = "/watcher";

        @Override
        public Loads read() {
            ObjectFields fields = ObjectFields.of(document.read());
            ObjectFields nodes = fields.object("data", "NodeMetricsMap");
            Map<String, List<Metric>> metricsByNode = new HashMap<>();
            for (String node : nodes.names()) {
                List<Metric> metrics = new ArrayList<>();
                for (ObjectFields metric : nodes.objects(node, "metrics")) {
                    metrics.add(new Metric(
                            metric.string("type").orElse(""),
                            metric.string("operator").orElse(""),
                            metric.number("value").orElse(0)));
                }
                metricsByNode.put(node, metrics);
            }
            return Loads.of(
                    metricsByNode, fields.object("window").integer("end").orElse(0));
        }
    }

    /** A Prometheus with the recording rules of the node exporter's mixin, whose instances are named like nodes. */
    record PrometheusServer(Prometheus prometheus, Handle handle) implements LoadSource {
        private static final String WINDOW = "15m";
        private static final Map<String, String> RULES =
                Map.of(CPU, "instance:node_cpu:ratio", MEMORY, "instance:node_memory_utilisation:ratio");

        @Override
        public Loads read() {
            Map<String, List<Metric>> metricsByNode = new HashMap<>();
            RULES.forEach((type, rule) -> {
                samples("avg_over_time", rule)
                        .forEach((node, value) -> add(metricsByNode, node, Metric.average(type, value)));
                samples("stddev_over_time", rule)
                        .forEach((node, value) -> add(metricsByNode, node, Metric.deviation(type, value)));
            });
            return Loads.of(metricsByNode, handle.clock().instant().getEpochSecond());
        }

        private static void add(Map<String, List<Metric>> metricsByNode, String node, Metric metric) {
            metricsByNode.computeIfAbsent(node, any -> new ArrayList<>()).add(metric);
        }

        private Map<String, Double> samples(String function, String rule) {
            Map<String, Double> percentByNode = new HashMap<>();
            for (Sample sample : prometheus.query(function + "(" + rule + "[" + WINDOW + "])")) {
                if (Double.isFinite(sample.value())) {
                    percentByNode.put(sample.labels().getOrDefault("instance", ""), sample.value() * 100);
                }
            }
            return percentByNode;
        }
    }

    /**
     * The metrics server of the cluster, which the API server forwards requests to. It has no watch, and the API reads
     * one node at a time.
     */
    record MetricsServer(Handle handle, ObjectLister<Node> nodes) implements LoadSource {
        private static final ObjectKind<OtherObject> KIND =
                ObjectKind.other("metrics.k8s.io/v1beta1", "NodeMetrics", "nodes", false);

        @Override
        public Loads read() {
            Map<String, List<Metric>> metricsByNode = new HashMap<>();
            for (Node node : nodes.all()) {
                Optional<OtherObject> measured = handle.cluster().read(KIND, "", node.name());
                if (measured.isPresent()) {
                    ObjectFields usage = measured.get().fields().object("usage");
                    List<Metric> metrics = new ArrayList<>();
                    used(usage, "cpu", node).ifPresent(percent -> metrics.add(Metric.latest(CPU, percent)));
                    used(usage, "memory", node).ifPresent(percent -> metrics.add(Metric.latest(MEMORY, percent)));
                    metricsByNode.put(node.name(), metrics);
                }
            }
            return Loads.of(metricsByNode, handle.clock().instant().getEpochSecond());
        }

        private static Optional<Double> used(ObjectFields usage, String resource, Node node) {
            double capacity =
                    node.capacity().getOrDefault(resource, Quantity.ZERO).milliValue();
            return capacity == 0
                    ? Optional.empty()
                    : usage.quantity(resource).map(used -> 100.0 * used.milliValue() / capacity);
        }
    }
}
