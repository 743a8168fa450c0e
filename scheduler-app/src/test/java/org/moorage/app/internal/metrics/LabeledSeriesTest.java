// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LabeledSeriesTest {
    private final List<String> asked = new ArrayList<>();
    private final LabeledSeries<String> series = new LabeledSeries<>(labels -> {
        String all = String.join(",", labels);
        asked.add(all);
        return all;
    });

    @Test
    void asksForEachOnce() {
        assertThat(List.of(series.of("a"), series.of("a", "b"), series.of("a", "b", "c"), series.of("a", "c", "b")))
                .containsExactly("a", "a,b", "a,b,c", "a,c,b");
        assertThat(List.of(series.of("a"), series.of("a", "b"), series.of("a", "b", "c"), series.of("a", "c", "b")))
                .containsExactly("a", "a,b", "a,b,c", "a,c,b");
        assertThat(asked).containsExactly("a", "a,b", "a,b,c", "a,c,b");
    }
}
