// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;

/** A registry's metrics as text. */
public final class MetricsText {
    private static final String OPEN_METRICS = "application/openmetrics-text";

    private final PrometheusRegistry registry;
    private final Set<String> disabled;

    /**
     * Creates the text of a registry's metrics.
     *
     * @param disabled the names of the metrics to omit
     */
    public MetricsText(PrometheusRegistry registry, Set<String> disabled) {
        this.registry = registry;
        this.disabled = Set.copyOf(disabled);
    }

    /**
     * A text in a format.
     *
     * @param contentType the format's name
     * @param body the text
     */
    public record Text(String contentType, byte[] body) {}

    /**
     * The metrics as they are now.
     *
     * @param accepted the formats that the reader takes, as in an HTTP header; that of Prometheus if it does not name
     *     another
     */
    public Text read(String accepted) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try {
            if (accepted.contains(OPEN_METRICS)) {
                OpenMetricsTextFormatWriter writer = OpenMetricsTextFormatWriter.create();
                writer.write(body, registry.scrape(name -> !isDisabled(name)));
                return new Text(writer.getContentType(), body.toByteArray());
            }
            PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
            writer.write(body, registry.scrape(name -> !isDisabled(name)));
            return new Text(writer.getContentType(), body.toByteArray());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    // The library knows counters without their last part.
    private boolean isDisabled(String name) {
        return disabled.contains(name) || disabled.contains(name + "_total");
    }
}
