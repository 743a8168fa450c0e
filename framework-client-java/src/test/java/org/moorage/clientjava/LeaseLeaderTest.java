// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.moorage.config.LeaderElection;
import org.moorage.kubernetes.ApiClient;

@SuppressWarnings("try") // closed early
class LeaseLeaderTest {
    // The elector measures real time: the Lease lasts longer than a test.
    private static final LeaderElection SETTINGS = settings(Duration.ofMinutes(3), Duration.ofMinutes(2));
    private static final int SOON = 60;

    private final MockWebServer server = new MockWebServer();
    private final Leases leases = new Leases();
    private ApiClient client;

    private static LeaderElection settings(Duration leaseDuration, Duration renewDeadline) {
        return new LeaderElection(
                true, leaseDuration, renewDeadline, Duration.ofMillis(300), "leases", "scheduler", "kube-system");
    }

    @BeforeEach
    void start() throws IOException {
        server.setDispatcher(leases);
        server.start();
        client = new ApiClient("http://127.0.0.1:" + server.getPort(), new OkHttpClient());
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void runsWhileItLeadsAndGivesTheLeaseUpWhenItIsClosed() throws InterruptedException {
        Work work = new Work();
        try (LeaseLeader leader = new LeaseLeader(client, SETTINGS, "me")) {
            CompletableFuture<Boolean> ended = CompletableFuture.supplyAsync(() -> leader.run(work::run, work::stop));
            await(work.begun);
            assertThat(leader.isLeading()).isTrue();
            assertThat(leases.spec("holderIdentity")).isEqualTo("me");
            assertThatCode(() -> write(leader)).doesNotThrowAnyException();

            leader.close();

            assertThat(ended.orTimeout(SOON, TimeUnit.SECONDS).join()).isFalse();
            assertThat(work.stopped.getCount()).isZero();
            assertThat(leases.spec("holderIdentity")).isEmpty();
            assertThat(leader.isLeading()).isFalse();
        }
    }

    @Test
    void stopsWhatItRunsWhenAnotherTakesTheLeaseAndWritesNoMore() throws InterruptedException {
        // It gives up after the renew deadline.
        LeaderElection losing = settings(Duration.ofSeconds(3), Duration.ofSeconds(2));
        Work work = new Work();
        try (LeaseLeader leader = new LeaseLeader(client, losing, "me")) {
            CompletableFuture<Boolean> ended = CompletableFuture.supplyAsync(() -> leader.run(work::run, work::stop));
            await(work.begun);

            leases.taken("somebody");

            assertThat(ended.orTimeout(SOON, TimeUnit.SECONDS).join()).isTrue();
            assertThat(work.stopped.getCount()).isZero();
            assertThatThrownBy(() -> write(leader)).hasMessageContaining("not the leader");
        }
        assertThat(leases.spec("holderIdentity")).isEqualTo("somebody");
    }

    @Test
    void stopsNothingThatItHasNotBegun() throws InterruptedException {
        leases.taken("somebody");
        Work work = new Work();
        try (LeaseLeader leader = new LeaseLeader(client, SETTINGS, "me")) {
            CompletableFuture<Boolean> ended = CompletableFuture.supplyAsync(() -> leader.run(work::run, work::stop));
            await(leases.read);
            assertThatThrownBy(() -> write(leader)).hasMessageContaining("not the leader");

            leader.close();

            assertThat(ended.orTimeout(SOON, TimeUnit.SECONDS).join()).isFalse();
        }
        assertThat(work.begun.getCount()).isOne();
        assertThat(work.stopped.getCount()).isOne();
    }

    /** {@code LeaseLock} throws for want of transitions, refuses the field that it does not know, and drops the strategy. */
    @Test
    void takesALeaseThatSaysLessAndMoreThanTheModel() throws InterruptedException {
        leases.put("""
                {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                 "metadata": {"name": "scheduler", "namespace": "kube-system", "resourceVersion": "1"},
                 "spec": {"holderIdentity": "", "strategy": "OldestEmulationVersion", "inventedLater": 1}}""");
        Work work = new Work();
        try (LeaseLeader leader = new LeaseLeader(client, SETTINGS, "me")) {
            CompletableFuture<Boolean> ended = CompletableFuture.supplyAsync(() -> leader.run(work::run, work::stop));
            await(work.begun);
            assertThat(leases.spec("strategy")).isEqualTo("OldestEmulationVersion");
            assertThat(leases.spec("inventedLater")).isEqualTo("1");
            assertThat(leases.spec("leaseTransitions")).isEqualTo("1");
            leader.close();
            assertThat(ended.orTimeout(SOON, TimeUnit.SECONDS).join()).isFalse();
        }
    }

    @Test
    void tellsOfAFailureOfWhatItRan() {
        try (LeaseLeader leader = new LeaseLeader(client, SETTINGS, "me")) {
            assertThatThrownBy(() -> leader.run(
                            () -> {
                                throw new IllegalArgumentException("no");
                            },
                            () -> {}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no");
        }
    }

    private void write(LeaseLeader leader) throws IOException {
        ApiClient guarded = leader.guard(client);
        guarded.http()
                .newCall(new Request.Builder()
                        .url(guarded.address() + "/anything")
                        .post(RequestBody.create(new byte[0]))
                        .build())
                .execute()
                .close();
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(SOON, TimeUnit.SECONDS)).isTrue();
    }

    /** Runs until it is told to stop. */
    private static final class Work {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch stopped = new CountDownLatch(1);

        void run() {
            begun.countDown();
            try {
                LeaseLeaderTest.await(stopped);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void stop() {
            stopped.countDown();
        }
    }

    /** One Lease, which is replaced in its last version only. */
    private static final class Leases extends Dispatcher {
        final CountDownLatch read = new CountDownLatch(1);
        private @Nullable JsonObject lease;
        private int version = 1;

        synchronized void put(String json) {
            lease = JsonParser.parseString(json).getAsJsonObject();
        }

        synchronized void taken(String holder) {
            put("""
                    {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                     "metadata": {"name": "scheduler", "namespace": "kube-system", "resourceVersion": "%d"},
                     "spec": {"holderIdentity": "%s", "leaseDurationSeconds": 3600, "leaseTransitions": 1,
                              "acquireTime": "2026-11-21T09:30:00.000000Z", "renewTime": "2026-11-21T09:30:00.000000Z"}}""".formatted(++version, holder));
        }

        synchronized String spec(String field) {
            return lease.getAsJsonObject("spec").get(field).getAsString();
        }

        @Override
        public synchronized MockResponse dispatch(RecordedRequest request) {
            String method = request.getMethod();
            if (!request.getTarget().contains("/leases")) {
                return answer(200, "{}");
            }
            if (method.equals("GET")) {
                read.countDown();
                return lease == null ? answer(404, "{\"reason\":\"NotFound\"}") : answer(200, lease.toString());
            }
            JsonObject sent = JsonParser.parseString(request.getBody().utf8()).getAsJsonObject();
            if (method.equals("PUT") && !version(sent).equals(version(lease))) {
                return answer(409, "{\"reason\":\"Conflict\"}");
            }
            sent.getAsJsonObject("metadata").addProperty("resourceVersion", String.valueOf(++version));
            lease = sent;
            return answer(method.equals("POST") ? 201 : 200, sent.toString());
        }

        private static String version(JsonObject lease) {
            return lease.getAsJsonObject("metadata").get("resourceVersion").getAsString();
        }

        private static MockResponse answer(int code, String body) {
            return new MockResponse.Builder().code(code).body(body).build();
        }
    }
}
