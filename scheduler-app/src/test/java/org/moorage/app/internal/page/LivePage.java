// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.attempts.AttemptsPage;
import org.moorage.app.internal.attempts.KeptAttempts;
import org.moorage.app.internal.serving.OneAtATime;
import org.moorage.app.internal.serving.Page;
import org.moorage.app.internal.serving.SecureServer;
import org.moorage.app.internal.serving.ServingOptions;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.SteppingClock;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.testkit.Nodes;
import picocli.CommandLine;

/** The page of a scheduler that has tried the pods of a generated cluster several times, served to this machine. */
final class LivePage implements AutoCloseable {
    private static final String PATH = "/debug/page";
    private static final int ROUNDS = 4;

    private final SteppingClock clock;
    private final InMemoryCluster cluster;
    private final Scheduler scheduler;
    private final SecureServer server;

    private LivePage(ClusterDump dump, Optional<KeptAttempts> kept, Optional<Page> attempts, SteppingClock clock) {
        this.clock = clock;
        cluster = InMemoryCluster.of(dump.objects());
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        SchedulerBuilder builder = Scheduler.builder(ConfigLoader.defaults(registry), registry, cluster)
                .clock(clock)
                .monotonicClock(clock)
                .bindingExecutor(Runnable::run);
        kept.ifPresent(builder::listener);
        scheduler = builder.build();
        ServingOptions options = new ServingOptions();
        Object ignored = new CommandLine(options).parseArgs("--bind-address=127.0.0.1", "--secure-port=0");
        server = SecureServer.listenOnLoopback(
                options, "localhost", MonotonicClock.system(), Executors.defaultThreadFactory());
        new ServedPage(
                        () -> PageContent.of("running scheduler", ClusterView.of(scheduler.dump()))
                                .made(clock.instant()),
                        this::shown,
                        Optional.of(attempts.orElseGet(() -> new AttemptsPage(scheduler, kept))),
                        "",
                        new OneAtATime())
                .addTo(server, PATH);
    }

    /** The page of a scheduler that keeps so many attempts, 0 for none. */
    static LivePage start(Path folder, int nodes, int pods, int keptAttempts) {
        SteppingClock clock = clock();
        return start(
                folder,
                nodes,
                pods,
                keptAttempts == 0 ? Optional.empty() : Optional.of(new KeptAttempts(keptAttempts, clock)),
                Optional.empty(),
                clock);
    }

    /** Returns the page of a scheduler with a given page of attempts. */
    static LivePage telling(Path folder, int nodes, int pods, Page attempts) {
        return start(folder, nodes, pods, Optional.empty(), Optional.of(attempts), clock());
    }

    private static SteppingClock clock() {
        SteppingClock clock = SteppingClock.startingAfter(List.of());
        clock.advance(Duration.between(Instant.EPOCH, PageFixture.MADE));
        return clock;
    }

    private static LivePage start(
            Path folder,
            int nodes,
            int pods,
            Optional<KeptAttempts> kept,
            Optional<Page> attempts,
            SteppingClock clock) {
        ClusterDump dump = PageFixture.cluster(folder, OpenbLikeCluster.of(nodes, pods));
        LivePage page = new LivePage(dump, kept, attempts, clock);
        page.scheduler.start();
        page.schedule();
        page.server.start();
        return page;
    }

    private ShownCluster shown() {
        ClusterView view = ClusterView.of(scheduler.dump());
        return new ShownCluster(
                view,
                pod -> {
                    try (WhatIf questions = scheduler.whatIf()) {
                        return ShownCluster.explain(questions, view, pod);
                    }
                },
                scheduler.profileNames());
    }

    private void schedule() {
        tryAll();
        for (int round = 0; round < ROUNDS; round++) {
            // A node for which pods are tried again, and which takes none.
            Node spare = Nodes.named("spare")
                    .allocatable("cpu", Integer.toString(128 + round))
                    .allocatable("memory", "2Ti")
                    .allocatable("nvidia.com/gpu", "8")
                    .allocatable("pods", "110")
                    .unschedulable()
                    .build();
            clock.advance(Duration.ofSeconds(75));
            cluster.apply(spare);
            scheduler.flushBackoff();
            tryAll();
        }
        clock.advance(Duration.ofSeconds(200));
    }

    private void tryAll() {
        while (scheduler.scheduleNext().isPresent()) {}
    }

    /** The first pod whose name begins so, as its namespace, a slash and its name. */
    String pod(String prefix) {
        return cluster.all(ObjectKind.POD).stream()
                .filter(pod -> pod.name().startsWith(prefix))
                .map(Pod::key)
                .sorted()
                .findFirst()
                .orElseThrow();
    }

    String address() {
        return "https://127.0.0.1:" + server.port() + PATH;
    }

    @Override
    public void close() {
        server.close();
        scheduler.close();
    }
}
