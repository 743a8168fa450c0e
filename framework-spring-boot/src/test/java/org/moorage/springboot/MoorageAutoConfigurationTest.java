// SPDX-License-Identifier: Apache-2.0
package org.moorage.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.api.model.Pod;
import org.moorage.config.ConfigException;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.admission.NewPods;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;

class MoorageAutoConfigurationTest {
    private static final long LIMIT_SECONDS = 60;
    private static final String NODE = """
            apiVersion: v1
            kind: Node
            metadata: {name: n1}
            status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
            """;
    /** One object of each kind that only admission reads: the server answers 404 for a kind without objects. */
    private static final String ADMISSION = """
            {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
            ---
            {apiVersion: v1, kind: LimitRange, metadata: {name: cpu, namespace: team}, spec: {limits: []}}
            ---
            {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: runc}, handler: runc}
            ---
            {apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: gpu, namespace: team},
             spec: {spec: {}}}
            """;

    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: web}
            spec: {schedulerName: default-scheduler, containers: [{name: c, image: i}]}
            """;
    private static final String TEMPLATE =
            "{\"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\", \"resources\": {\"requests\": {\"cpu\": \"1\"}}}]}}";
    private static final String WITHOUT_LEASE = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            """;
    private static final String WITH_LEASE = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaseDuration: 3s, renewDeadline: 2s, retryPeriod: 1s}
            """;
    private static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler";
    private static final String LEASE_OF_OTHER = """
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: kube-scheduler, namespace: kube-system}
            spec: {holderIdentity: other, leaseDurationSeconds: 15, acquireTime: "2026-11-21T00:00:00.000000Z",
                   renewTime: "2026-11-21T00:00:00.000000Z"}
            """;

    @TempDir
    private Path folder;

    private final FakeApiServer server = FakeApiServer.start();
    private ApplicationContextRunner application = new ApplicationContextRunner();

    @BeforeEach
    void start() throws IOException {
        server.put(NODE);
        server.put(ADMISSION);
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
        application = application
                .withConfiguration(AutoConfigurations.of(MoorageAutoConfiguration.class))
                .withPropertyValues("moorage.kubeconfig=" + kubeconfig);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ApplicationContextRunner scheduling(String config) throws IOException {
        Path file = Files.writeString(folder.resolve("scheduler.yaml"), config);
        return application.withPropertyValues("moorage.schedules=true", "moorage.config=file:" + file);
    }

    @Test
    void answersQuestionsWhenTheApplicationHasStarted() {
        application.run(context -> {
            Pod pod = context.getBean(NewPods.class).admit(TEMPLATE).pod();
            try (WhatIf cluster = context.getBean(Scheduler.class).whatIf()) {
                assertThat(cluster.howMany(pod, 10).count()).isEqualTo(4);
            }
            Health health = health(context);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("nodes", 1).doesNotContainKey("leader");
        });
        assertThat(server.requests()).allMatch(request -> request.method().equals("GET"));
    }

    @Test
    void schedulesAndMeasures() throws IOException {
        BlockingQueue<String> bound = new LinkedBlockingQueue<>();
        SchedulerListener listener = new SchedulerListener() {
            @Override
            public void bound(Pod pod, String nodeName, Decision decision) {
                bound.add(pod.key() + " on " + nodeName);
            }
        };
        MeterRegistry registry = new SimpleMeterRegistry();
        scheduling(WITHOUT_LEASE)
                .withBean("listener", SchedulerListener.class, () -> listener)
                .run(context -> {
                    context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(registry));
                    server.put(POD);

                    assertThat(bound.poll(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo("default/web on n1");
                });

        // The scheduler has ended, so all measurements were made.
        assertThat(registry.get("scheduler.schedule.attempts")
                        .tag("profile", "default-scheduler")
                        .tag("result", "scheduled")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("scheduler.framework.extension.point.duration")
                        .tag("extension_point", "Filter")
                        .tag("status", "Success")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("scheduler.cache.size")
                        .tag("type", "nodes")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("scheduler.pending.pods")
                        .tag("queue", "active")
                        .gauge()
                        .value())
                .isZero();
    }

    @Test
    void breaksTheLivenessWhenAnotherProcessHasTheLease() throws IOException {
        CompletableFuture<LivenessState> liveness = new CompletableFuture<>();
        scheduling(WITH_LEASE)
                .withBean(Listener.class, () -> new Listener(liveness))
                .run(context -> {
                    server.await(
                            LEASE,
                            lease -> lease.string("spec", "holderIdentity").isPresent());
                    server.put(LEASE_OF_OTHER);

                    assertThat(liveness.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(LivenessState.BROKEN);
                    Health health = health(context);
                    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health.getDetails())
                            .containsEntry("leader", false)
                            .containsEntry("ended", "another process has the Lease");
                });
    }

    @Test
    void endsTheStartWhenItIsInterrupted() throws InterruptedException {
        server.on("GET", "/api/v1/nodes", request -> Response.silence());
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread starting = new Thread(() -> application.run(context -> failure.complete(context.getStartupFailure())));
        starting.start();
        assertThat(server.takeRequest(request -> request.path().equals("/api/v1/nodes")))
                .isNotNull();

        starting.interrupt();

        assertThat(failure)
                .succeedsWithin(LIMIT_SECONDS, TimeUnit.SECONDS)
                .satisfies(thrown -> assertThat(thrown).hasRootCauseInstanceOf(InterruptedException.class));
    }

    @Test
    void doesNotStartWithAnInvalidConfiguration() throws IOException {
        scheduling(WITHOUT_LEASE
                        + "profiles: [{schedulerName: a, plugins: {score: {enabled: [{name: NodeResourceFit}]}}}]")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(ConfigException.class)
                        .rootCause()
                        .hasMessageContaining("scheduler.yaml")
                        .hasMessageContaining("NodeResourceFit"));
    }

    @Test
    void doesNotStartWithAContextOfNoKubeconfig() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(MoorageAutoConfiguration.class))
                .withPropertyValues("moorage.context=prod")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("moorage.context: prod (expected: only with moorage.kubeconfig)"));
    }

    @Test
    void createsNothingIfItIsDisabled() {
        application
                .withPropertyValues("moorage.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Scheduler.class));
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void worksWithoutHealthAndMetrics() {
        application
                .withClassLoader(new FilteredClassLoader(HealthIndicator.class, MeterBinder.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(Scheduler.class)
                        .doesNotHaveBean("moorageHealthIndicator")
                        .doesNotHaveBean("moorageMeters"));
    }

    private static Health health(ApplicationContext context) {
        return context.getBean(HealthIndicator.class).health();
    }

    /** Receives the liveness of the application. */
    private record Listener(CompletableFuture<LivenessState> liveness)
            implements ApplicationListener<AvailabilityChangeEvent<LivenessState>> {
        @Override
        public void onApplicationEvent(AvailabilityChangeEvent<LivenessState> event) {
            liveness.complete(event.getState());
        }
    }
}
