// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Node;
import org.moorage.safe.FreeResources.Free;

/**
 * Reads free resources from the node annotations that {@code moorage annotate usage} and the original annotators write:
 * {@code mean-free-cpu} and {@code std-free-cpu} in thousandths of a CPU, {@code mean-free-memory} and {@code
 * std-free-memory} in bytes, and forecasts under both spellings; {@code forecasted-free-cpu} takes precedence over
 * {@code forcasted-free-cpu}. A value that is not a number counts as missing.
 */
record AnnotationStatistics() implements NodeStatistics {
    @Override
    public FreeResources free(Node node) {
        Map<String, String> annotations = node.metadata().annotations();
        if (annotations.isEmpty()) {
            return FreeResources.UNKNOWN;
        }
        Free cpu = free(annotations, "mean-free-cpu", "std-free-cpu", "forecasted-free-cpu", "forcasted-free-cpu");
        Free memory = free(
                annotations, "mean-free-memory", "std-free-memory", "forecasted-free-memory", "forcasted-free-memory");
        return cpu == null && memory == null ? FreeResources.UNKNOWN : new FreeResources(cpu, memory);
    }

    private static @Nullable Free free(
            Map<String, String> annotations, String mean, String deviation, String forecast, String misspelt) {
        double average = number(annotations.get(mean));
        if (Double.isNaN(average)) {
            return null;
        }
        double spread = number(annotations.get(deviation));
        double next = number(annotations.get(forecast));
        return new Free(
                average,
                Double.isNaN(spread) ? 0 : spread,
                Double.isNaN(next) ? number(annotations.get(misspelt)) : next);
    }

    // Stricter than Double.parseDouble, which also accepts infinity, spaces, 4000d and 0x1p3.
    private static double number(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return Double.NaN;
        }
        for (int i = 0; i < text.length(); i++) {
            if ("0123456789+-.eE".indexOf(text.charAt(i)) < 0) {
                return Double.NaN;
            }
        }
        try {
            double value = Double.parseDouble(text);
            return Double.isInfinite(value) ? Double.NaN : value;
        } catch (NumberFormatException notANumber) {
            return Double.NaN;
        }
    }
}
