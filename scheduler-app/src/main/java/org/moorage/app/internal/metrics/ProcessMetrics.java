// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.moorage.api.feature.EffectiveVersion;
import org.moorage.api.feature.FeatureGates;

/** Metrics of the process and its Java virtual machine. */
public final class ProcessMetrics {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Path NETWORK = Path.of("/proc/self/net/netstat");
    private static final String UNLIMITED = "unlimited";
    /** The value that a program written in Go reports for no limit. */
    private static final double NO_LIMIT = 0x1p64;

    private ProcessMetrics() {}

    /**
     * Registers the metrics of the process. Call it once per registry.
     *
     * @param version that of Moorage
     * @param kubernetesVersion the version of Kubernetes whose scheduler makes the same decisions, such as
     *     {@code v1.37.2}
     * @param features the features that are on
     */
    public static void register(
            PrometheusRegistry registry, String version, String kubernetesVersion, FeatureGates features) {
        Families families = new Families(registry);
        registry.register(new VirtualMachine());
        buildInfo(families, version, kubernetesVersion);
        families.shownGauges(
                "kubernetes_feature_enabled",
                "[BETA] This metric records the data about the stage and enablement of a k8s feature.",
                callback -> features.all().forEach((name, enabled) -> {
                    FeatureGates.Stage stage = features.stage(name);
                    if (stage != FeatureGates.Stage.PRE_ALPHA) {
                        callback.call(enabled ? 1 : 0, name, stage.label());
                    }
                }),
                "name",
                "stage");
        EffectiveVersion effective = features.version();
        families.shownGauges(
                "version_info",
                "[ALPHA] Provides the compatibility version info of the component. The component label is the name of the"
                        + " component, usually kube, but is relevant for aggregated-apiservers.",
                callback -> callback.call(
                        1,
                        EffectiveVersion.BINARY.toString(),
                        "kube",
                        effective.emulated().toString(),
                        effective.minCompatibility().toString()),
                "binary",
                "component",
                "emulation",
                "min_compat");
        families.shownGauges(
                "process_virtual_memory_max_bytes",
                "Maximum amount of virtual memory available in bytes.",
                callback -> maxAddressSpace().ifPresent(callback::call));
        families.shownCounters(
                "process_network_receive_bytes_total",
                "Number of bytes received by the process over the network.",
                callback -> networkBytes("InOctets").ifPresent(callback::call));
        families.shownCounters(
                "process_network_transmit_bytes_total",
                "Number of bytes sent by the process over the network.",
                callback -> networkBytes("OutOctets").ifPresent(callback::call));
    }

    /**
     * The metrics of the Java virtual machine, made when they are first read: the start of the process does without the
     * time for it.
     */
    private static final class VirtualMachine implements MultiCollector {
        private final PrometheusRegistry registry = new PrometheusRegistry();
        private boolean isMade;

        @Override
        public synchronized MetricSnapshots collect() {
            if (!isMade) {
                JvmMetrics.builder().register(registry);
                isMade = true;
            }
            return registry.scrape();
        }
    }

    // Alerts compare the git versions of the components of a cluster without what follows a plus.
    private static void buildInfo(Families families, String version, String kubernetesVersion) {
        String[] parts = kubernetesVersion.substring(1).split("\\.", -1);
        String platform = System.getProperty("os.name").toLowerCase(Locale.ROOT) + "/" + System.getProperty("os.arch");
        families.shownGauges(
                "kubernetes_build_info",
                "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state,"
                        + " build date, Go version, and compiler from which Kubernetes was built, and platform on which it is"
                        + " running.",
                callback -> callback.call(
                        1,
                        parts[0],
                        parts[1],
                        kubernetesVersion + "+moorage-" + version,
                        "",
                        "",
                        "",
                        "java" + Runtime.version(),
                        "javac",
                        platform),
                "major",
                "minor",
                "git_version",
                "git_commit",
                "git_tree_state",
                "build_date",
                "go_version",
                "compiler",
                "platform");
    }

    private static Optional<Double> maxAddressSpace() {
        return lines(LIMITS).stream()
                .filter(line -> line.startsWith("Max address space"))
                .findFirst()
                .map(line ->
                        line.substring("Max address space".length()).strip().split(" +", -1)[0])
                .map(limit -> limit.equals(UNLIMITED) ? NO_LIMIT : Double.parseDouble(limit));
    }

    // Counts all processes of the network namespace, which is the pod's, as kube-scheduler does.
    private static Optional<Double> networkBytes(String field) {
        List<String> lines = lines(NETWORK);
        for (int i = 0; i + 1 < lines.size(); i += 2) {
            int index = List.of(lines.get(i).split(" ", -1)).indexOf(field);
            if (index >= 0) {
                return Optional.of(Double.valueOf(lines.get(i + 1).split(" ", -1)[index]));
            }
        }
        return Optional.empty();
    }

    // None where the system has no such file.
    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException notLinux) {
            return List.of();
        }
    }
}
