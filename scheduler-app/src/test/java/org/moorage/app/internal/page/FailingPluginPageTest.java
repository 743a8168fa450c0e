// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.app.TrustingClient;
import org.moorage.app.internal.attempts.AttemptsPage;
import org.moorage.app.internal.serving.OneAtATime;
import org.moorage.app.internal.serving.SecureServer;
import org.moorage.app.internal.serving.ServingOptions;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import picocli.CommandLine;

/** Tests the page of a running scheduler for a pod with a failing plugin. */
@Tag("any-jvm")
class FailingPluginPageTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - schedulerName: default-scheduler
              plugins:
                filter:
                  enabled: [{name: Failing}]
            """;

    private @Nullable Scheduler scheduler;
    private @Nullable SecureServer server;

    private record Failing(String what) implements FilterPlugin {
        @Override
        public String name() {
            return "Failing";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            switch (what) {
                case "an exception" -> throw new IllegalStateException("boom");
                case "an exception without a text" ->
                    throw new IllegalStateException("boom") {
                        @Override
                        public String getMessage() {
                            throw new IllegalArgumentException("no text");
                        }
                    };
                case "an error" -> throw new AssertionError("boom");
                case "a missing class" -> throw new NoClassDefFoundError("boom");
                default -> {
                    return Status.error("boom");
                }
            }
        }
    }

    private String start(Function<Handle, Plugin> make) {
        InMemoryCluster cluster = new InMemoryCluster();
        cluster.apply(Nodes.named("n")
                .allocatable("cpu", "4")
                .allocatable("pods", "10")
                .build());
        cluster.apply(Pods.named("p").requests("cpu", "1").build());
        List<PluginFactory<?>> factories = new ArrayList<>(KubeSchedulerPlugins.all());
        factories.add(PluginFactory.of("Failing", Plugin.class, make));
        PluginRegistry registry = PluginRegistry.of(factories);
        Scheduler running = Scheduler.builder(ConfigLoader.load(CONFIG, "test.yaml", registry), registry, cluster)
                .bindingExecutor(Runnable::run)
                .build();
        scheduler = running;
        running.start();
        assertThat(running.scheduleNext()).isPresent();
        ServingOptions options = new ServingOptions();
        Object ignored = new CommandLine(options).parseArgs("--bind-address=127.0.0.1", "--secure-port=0");
        SecureServer listening = SecureServer.listenOnLoopback(
                options, "localhost", MonotonicClock.system(), Executors.defaultThreadFactory());
        server = listening;
        ClusterView view = ClusterView.of(running.dump());
        new ServedPage(
                        () -> PageContent.of("running scheduler", view),
                        () -> new ShownCluster(
                                view,
                                pod -> {
                                    try (WhatIf questions = running.whatIf()) {
                                        return ShownCluster.explain(questions, view, pod);
                                    }
                                },
                                running.profileNames()),
                        Optional.of(new AttemptsPage(running, Optional.empty())),
                        "",
                        new OneAtATime())
                .addTo(listening, "/debug/page");
        listening.start();
        return "https://127.0.0.1:" + listening.port() + "/debug/page/";
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
        if (scheduler != null) {
            scheduler.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"an exception", "an exception without a text", "an error", "a missing class", "an error status"})
    void isTheFailureOfThePlugin(String what) throws Exception {
        String address = start(handle -> new Failing(what));

        TrustingClient.Answer explained = TrustingClient.get(URI.create(address + "explain?pod=default/p"));
        TrustingClient.Answer attempts = TrustingClient.get(URI.create(address + "attempts?pod=default/p&now=true"));

        assertThat(explained.code()).isEqualTo(200);
        assertThat(explained.text())
                .startsWith("{\"pod\":\"default/p\",\"error\":\"running \\\"Failing\\\" filter plugin: ");
        assertThat(attempts.code()).isEqualTo(200);
        assertThat(attempts.text()).contains("\"error\":\"running \\\"Failing\\\" filter plugin: ");
    }

    @Test
    void isThatThePluginCannotBeMadeOnceMore() throws Exception {
        AtomicInteger made = new AtomicInteger();
        String address = start(handle -> {
            if (made.incrementAndGet() > 1) {
                throw new IllegalStateException("only one");
            }
            return new Failing("an error status");
        });

        TrustingClient.Answer explained = TrustingClient.get(URI.create(address + "explain?pod=default/p"));

        assertThat(explained.code()).isEqualTo(200);
        assertThat(explained.text()).contains("\"error\":", "initializing plugin \\\"Failing\\\": only one");
    }

    @Test
    @EnabledIf("org.moorage.app.internal.page.Browser#isThere")
    void isTheReasonThatThePageShows() throws IOException {
        String address = start(handle -> new Failing("an exception"));

        try (Browser browser = Browser.open()) {
            browser.show(address.substring(0, address.length() - 1), "#/pod?key=default/p");
            browser.until("document.getElementById('view').textContent.includes('Scheduling decision')");

            assertThat(browser.text("section[aria-label='Scheduling decision']"))
                    .contains("failed", "running \"Failing\" filter plugin: boom");
            assertThat(browser.count(".failure:not([hidden])")).isZero();
            assertThat(browser.accessibilityFindings()).isEmpty();
        }
    }
}
