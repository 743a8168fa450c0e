// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ObjectKind;
import org.moorage.kubernetes.WatchStatus.Condition;

class WatchProgressTest {
    private static final Duration SOON = Duration.ofSeconds(1);

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-21T09:30:00Z"));
    private final ServerOutage outage = new ServerOutage("https://a:6443", now::get);
    private final List<WatchProgress> kinds = ObjectKind.TYPED.stream()
            .map(kind -> new WatchProgress(kind, now::get, now::get, outage))
            .toList();
    private final CapturedLog outages = CapturedLog.of(ServerOutage.class);
    private final CapturedLog watches = CapturedLog.of(WatchProgress.class);

    private void pass(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    @Test
    void logOnceForAllKindsThatTheServerIsAway() {
        kinds.forEach(kind -> kind.listed(kind.status().servedVersion(), 0, 1, "7"));
        for (int round = 0; round < 20; round++) {
            kinds.forEach(kind -> kind.failed(false, "watch: refused", SOON));
            pass(Duration.ofSeconds(4));
        }

        assertThat(outages.lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).startsWith("WARN The API server does not answer; trying again"));
        assertThat(watches.warnings()).isEmpty();
        assertThat(kinds)
                .allSatisfy(kind -> assertThat(kind.status().condition()).isEqualTo(Condition.STALE))
                .allSatisfy(kind -> assertThat(kind.status().failures()).isEqualTo(20))
                .allSatisfy(
                        kind -> assertThat(kind.status().note().orElseThrow()).endsWith("watch: refused"));

        // A server that starts answers with errors for a moment.
        kinds.forEach(kind -> kind.failed(true, "watch: 500", SOON));
        kinds.forEach(WatchProgress::connected);
        kinds.forEach(kind -> kind.watching(0));

        assertThat(outages.lines()).hasSize(3);
        assertThat(outages.lines().get(2)).startsWith("INFO The API server answers again");
        assertThat(watches.lines()).noneMatch(line -> line.startsWith("WARN") || line.startsWith("INFO"));
    }

    @Test
    void logForItsKindThatTheServerAnswersWithAnError() {
        WatchProgress pods = kinds.get(0);
        for (int failure = 0; failure < 20; failure++) {
            pods.failed(true, "list pods: 500", SOON);
        }
        pods.listed("v1", 0, 1, "7");
        pods.watching(0);

        assertThat(outages.lines()).isEmpty();
        assertThat(watches.lines().stream().filter(line -> !line.startsWith("DEBUG")))
                .hasSize(2)
                .first()
                .asString()
                .startsWith("WARN Cannot list or watch; trying again");
    }
}
