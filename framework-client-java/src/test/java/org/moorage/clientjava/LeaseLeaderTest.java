// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ObjectFields;
import org.moorage.config.LeaderElection;
import org.moorage.kubernetes.ApiClient;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Request;

@SuppressWarnings("try") // closed early
class LeaseLeaderTest {
    // The elector measures real time: the Lease lasts longer than a test.
    private static final LeaderElection SETTINGS = settings(Duration.ofMinutes(3), Duration.ofMinutes(2));
    private static final int SOON = 60;

    private static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/scheduler";

    private final FakeApiServer server = FakeApiServer.start();
    private final ApiClient client = new ApiClient(server.address(), new OkHttpClient());

    private static LeaderElection settings(Duration leaseDuration, Duration renewDeadline) {
        return new LeaderElection(
                true, leaseDuration, renewDeadline, Duration.ofMillis(300), "leases", "scheduler", "kube-system");
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
            assertThat(spec().string("holderIdentity")).contains("me");
            assertThatCode(() -> write(leader)).doesNotThrowAnyException();

            leader.close();

            assertThat(ended.orTimeout(SOON, TimeUnit.SECONDS).join()).isFalse();
            assertThat(work.stopped.getCount()).isZero();
            assertThat(spec().string("holderIdentity")).contains("");
            assertThat(leader.isLeading()).isFalse();
        }
    }

    @Test
    void stopsWhatItRunsWhenAnotherTakesTheLeaseAndWritesNoMore() throws InterruptedException {
        // It stops leading after the renew deadline.
        LeaderElection losing = settings(Duration.ofSeconds(3), Duration.ofSeconds(2));
        Work work = new Work();
        try (LeaseLeader leader = new LeaseLeader(client, losing, "me")) {
            CompletableFuture<Boolean> ended = CompletableFuture.supplyAsync(() -> leader.run(work::run, work::stop));
            await(work.begun);

            takeLease();

            assertThat(ended.orTimeout(SOON, TimeUnit.SECONDS).join()).isTrue();
            assertThat(work.stopped.getCount()).isZero();
            assertThatThrownBy(() -> write(leader)).hasMessageContaining("not the leader");
        }
        assertThat(spec().string("holderIdentity")).contains("other");
    }

    @Test
    void stopsNothingThatItHasNotBegun() throws InterruptedException {
        takeLease();
        Work work = new Work();
        try (LeaseLeader leader = new LeaseLeader(client, SETTINGS, "me")) {
            CompletableFuture<Boolean> ended = CompletableFuture.supplyAsync(() -> leader.run(work::run, work::stop));
            Request ignored = server.takeRequest(request -> request.path().equals(LEASE));
            assertThatThrownBy(() -> write(leader)).hasMessageContaining("not the leader");

            leader.close();

            assertThat(ended.orTimeout(SOON, TimeUnit.SECONDS).join()).isFalse();
        }
        assertThat(work.begun.getCount()).isOne();
        assertThat(work.stopped.getCount()).isOne();
    }

    /**
     * {@code LeaseLock} throws for want of transitions, refuses the field that it does not know, and drops the
     * strategy.
     */
    @Test
    void takesALeaseThatSaysLessAndMoreThanTheModel() throws InterruptedException {
        putLease("{holderIdentity: \"\", strategy: OldestEmulationVersion, inventedLater: 1}");
        Work work = new Work();
        try (LeaseLeader leader = new LeaseLeader(client, SETTINGS, "me")) {
            CompletableFuture<Boolean> ended = CompletableFuture.supplyAsync(() -> leader.run(work::run, work::stop));
            await(work.begun);
            assertThat(spec().string("strategy")).contains("OldestEmulationVersion");
            assertThat(spec().integer("inventedLater")).hasValue(1);
            assertThat(spec().integer("leaseTransitions")).hasValue(1);
            leader.close();
            assertThat(ended.orTimeout(SOON, TimeUnit.SECONDS).join()).isFalse();
        }
    }

    @Test
    void reportsAFailureOfItsTask() {
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

    private void putLease(String spec) {
        server.put(
                "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: scheduler, namespace: kube-system}, spec: "
                        + spec + "}");
    }

    private void takeLease() {
        putLease("{holderIdentity: other, leaseDurationSeconds: 3600, leaseTransitions: 1,"
                + " acquireTime: \"2026-11-21T09:30:00.000000Z\", renewTime: \"2026-11-21T09:30:00.000000Z\"}");
    }

    private ObjectFields spec() {
        return server.object(LEASE).orElseThrow().object("spec");
    }

    private void write(LeaseLeader leader) throws IOException {
        ApiClient guarded = leader.guard(client);
        guarded.http()
                .newCall(new okhttp3.Request.Builder()
                        .url(guarded.address() + "/anything")
                        .post(RequestBody.create(new byte[0]))
                        .build())
                .execute()
                .close();
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(SOON, TimeUnit.SECONDS)).isTrue();
    }

    /** Runs until it is stopped. */
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
}
