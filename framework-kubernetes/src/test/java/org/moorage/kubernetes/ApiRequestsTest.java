// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

@Timeout(30)
final class ApiRequestsTest {
    @Test
    void waitsNoLongerForAnAnswerThatComesBitByBit() {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>(List.of("{"));
        ScheduledExecutorService feeder = Executors.newSingleThreadScheduledExecutor();
        try (FakeApiServer server = FakeApiServer.start();
                ApiRequests requests = new ApiRequests(
                        new ApiClient(server.address(), new OkHttpClient()),
                        InstantSource.system(),
                        RequestMetrics.NONE)) {
            server.on("GET", "/slow", request -> Response.stream(lines));
            ScheduledFuture<?> ignored = feeder.scheduleAtFixedRate(() -> lines.add(" "), 0, 50, TimeUnit.MILLISECONDS);

            assertThatThrownBy(() -> requests.get("get slow", "/slow", Duration.ofMillis(500)))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageEndingWith(": timed out");
        } finally {
            feeder.shutdownNow();
            lines.add("");
        }
    }
}
