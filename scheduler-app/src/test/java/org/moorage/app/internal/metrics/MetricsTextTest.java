// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;

class MetricsTextTest {
    @Test
    void isReadInTheFormatThatIsAskedFor() {
        PrometheusRegistry registry = new PrometheusRegistry();
        ProcessMetrics.register(registry, "0.1.0", "v1.37.2", FeatureGates.DEFAULTS);
        MetricsText text = new MetricsText(registry, Set.of("jvm_info", "process_cpu_seconds_total"));

        assertThat(text.read("").contentType()).startsWith("text/plain; version=0.0.4");
        assertThat(text.read("application/openmetrics-text;version=1.0.0").contentType())
                .startsWith("application/openmetrics-text");
        List<String> lines = new ArrayList<>(List.of(new String(text.read("").body(), UTF_8).split("\n")));
        assertThat(lines).anyMatch(line -> line.startsWith("jvm_memory_used_bytes{"));
        assertThat(lines).anyMatch(line -> line.startsWith("process_start_time_seconds "));
        assertThat(lines).noneMatch(line -> line.startsWith("jvm_info") || line.startsWith("process_cpu_seconds"));
    }
}
