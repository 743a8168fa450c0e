// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricFamilyDescriptor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;
import org.moorage.app.internal.metrics.ApiServerMetrics;
import org.moorage.app.internal.metrics.ProcessMetrics;
import org.moorage.app.internal.metrics.PrometheusMetrics;
import org.moorage.runtime.metrics.SchedulerGauges;

/**
 * Tests that the dashboard and the alerts in {@code deploy/monitoring} query existing metrics, and all metrics that
 * only Moorage has.
 */
class MonitoringTest {
    private static final Path MONITORING = Path.of("..", "deploy", "monitoring");
    private static final Pattern NAME =
            Pattern.compile("\\b(?:scheduler|moorage|rest_client|leader_election|process|jvm)_[a-z_]+");
    private static final Pattern SUFFIX = Pattern.compile("_(total|bucket|count|sum)$");

    /** Notes what is registered, also what has no value yet and is not shown. */
    private static final class NotingRegistry extends PrometheusRegistry {
        private final Set<String> names = new TreeSet<>();

        @Override
        public void register(Collector collector) {
            MetricFamilyDescriptor family = collector.getMetricFamilyDescriptor();
            if (family != null) {
                names.add(family.getPrometheusName());
            }
            super.register(collector);
        }

        Set<String> allNames() {
            Set<String> all = new TreeSet<>(names);
            scrape().forEach(shown -> all.add(shown.getMetadata().getPrometheusName()));
            return all;
        }
    }

    private static Set<String> registered() {
        NotingRegistry registry = new NotingRegistry();
        PrometheusMetrics metrics = new PrometheusMetrics(registry, InstantSource.system());
        metrics.showLeadership("kube-scheduler", () -> true);
        metrics.showWatches(List::of);
        metrics.showDroppedLogLines(() -> 0);
        metrics.show(() -> new SchedulerGauges(Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), 0, 0, 0));
        ProcessMetrics.register(registry, "0.1.0", "v1.37.2", FeatureGates.DEFAULTS);
        new ApiServerMetrics(registry);
        return registry.allNames();
    }

    private static Set<String> namesIn(List<String> queries) {
        Set<String> names = new TreeSet<>();
        for (String query : queries) {
            Matcher name = NAME.matcher(query);
            while (name.find()) {
                names.add(SUFFIX.matcher(name.group()).replaceFirst(""));
            }
        }
        return names;
    }

    private static List<String> queriesOfTheDashboard() throws IOException {
        JsonNode dashboard =
                new ObjectMapper().readTree(MONITORING.resolve("dashboard.json").toFile());
        return dashboard.findValuesAsText("expr");
    }

    private static List<String> queriesOfTheAlerts() throws IOException {
        JsonNode rules = new ObjectMapper(new YAMLFactory())
                .readTree(MONITORING.resolve("alerts.yaml").toFile());
        return rules.findValuesAsText("expr");
    }

    @Test
    void askForMetricsThatThereAre() throws IOException {
        List<String> queries = new ArrayList<>(queriesOfTheDashboard());
        queries.addAll(queriesOfTheAlerts());

        assertThat(queries).hasSizeGreaterThan(30);
        assertThat(registered()).containsAll(namesIn(queries));
    }

    @Test
    void leaveNoneOfMooragesOwnOut() throws IOException {
        Set<String> own = registered();
        own.removeIf(name -> !name.startsWith("moorage_"));

        assertThat(own).isNotEmpty();
        assertThat(namesIn(queriesOfTheDashboard())).containsAll(own);
    }
}
