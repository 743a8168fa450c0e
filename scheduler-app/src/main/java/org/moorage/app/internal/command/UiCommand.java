// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.app.internal.answer.GroupResult;
import org.moorage.app.internal.live.SchedulerConnection;
import org.moorage.app.internal.options.ProfileOptions;
import org.moorage.app.internal.options.SimulationSeed;
import org.moorage.app.internal.page.ClusterView;
import org.moorage.app.internal.page.ForwardedPage;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.page.ServedPage;
import org.moorage.app.internal.page.ShownCluster;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.HostProcess;
import org.moorage.app.internal.process.KubeconfigFile;
import org.moorage.app.internal.process.ProcessThreads;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.ReadingOptions;
import org.moorage.app.internal.remote.QuestionPages;
import org.moorage.app.internal.remote.RemoteQuestions;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.serving.OneAtATime;
import org.moorage.app.internal.serving.SecureServer;
import org.moorage.app.internal.serving.ServingOptions;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.dump.ClusterDump;
import picocli.CommandLine.Command;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Serves a page about a cluster until the process receives a signal to stop. */
@Command(
        name = "ui",
        description = {
            "Serve a page about a cluster, to this machine.",
            "",
            "The pending pods are scheduled first, as simulate does; with --now the cluster is shown as it is. The page shows the answers of the plugins for each pod and node.",
            "",
            "With --live it serves the page of a running scheduler instead: it forwards the requests of the page, with the credentials of the kubeconfig's user, who needs to be allowed to GET /debug/page and the paths below it."
        },
        footer = {
            "  moorage ui cluster.json.gz",
            "  kubectl get nodes,pods -A -o yaml | moorage ui -",
            "  moorage ui --live --insecure-skip-tls-verify"
        },
        exitCodeList = {"0:it received a signal to stop"},
        defaultValueProvider = UiCommand.Defaults.class)
public final class UiCommand implements Callable<Integer> {
    private static final Duration LONGEST_ANSWER = Duration.ofMinutes(1);
    private static final int MOST_BYTES = 256 << 20;

    private final Terminal terminal;
    private final HostProcess process;

    @Mixin
    private ReadingOptions reading = new ReadingOptions();

    @Mixin
    private ServingOptions serving = new ServingOptions();

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "Kubeconfig of the cluster that authenticates and authorizes clients (default: every user of this"
                            + " machine may read); with --live, of the user who asks the scheduler (default:"
                            + " $KUBECONFIG, then ~/.kube/config).")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--live",
            description = "Serve the page of a running Moorage scheduler. Every user of this machine may read it.")
    private boolean isLive;

    @Mixin
    private SchedulerConnection scheduler = new SchedulerConnection();

    @Option(names = "--now", description = "Show the cluster as it is, before any pending pod is scheduled.")
    private boolean now;

    @Option(names = "--seed", paramLabel = "N", description = "Random seed, as for simulate.")
    private Optional<Long> seed = Optional.empty();

    @Parameters(
            arity = "0..*",
            paramLabel = "CLUSTER",
            description = "Files or folders with the cluster's objects, in YAML or JSON; - for stdin.")
    private List<String> sources = new ArrayList<>();

    /**
     * The command.
     *
     * @param terminal where it prints its address
     * @param process the process that it runs in
     */
    public UiCommand(Terminal terminal, HostProcess process) {
        this.terminal = terminal;
        this.process = process;
    }

    /** Where the flags that scheduler and page share have other defaults. */
    static final class Defaults implements IDefaultValueProvider {
        private static final Map<String, String> VALUES =
                Map.of("--bind-address", "127.0.0.1", "--secure-port", "8259");

        Defaults() {}

        @Override
        public @Nullable String defaultValue(ArgSpec argument) {
            return argument instanceof OptionSpec option ? VALUES.get(option.longestName()) : null;
        }
    }

    /** The served content and the cluster that answers questions about it. */
    private record Shown(Supplier<PageContent.Builder> content, ClusterView view, WhatIf questions)
            implements AutoCloseable {
        @Override
        public void close() {
            questions.close();
        }
    }

    @Override
    public Integer call() {
        if (isLive != sources.isEmpty()) {
            throw new CommandException(
                    isLive
                            ? "--live: with " + title() + " (expected: no files, since the scheduler knows its cluster)"
                            : "no cluster (expected: files or folders with its objects, - for stdin, or --live)");
        }
        return isLive ? forward() : show();
    }

    private int forward() {
        ApiConnection cluster = new ApiConnection(KubeconfigFile.find(kubeconfig, Optional.empty()), Optional.empty());
        try (ApiRequests requests = scheduler.open(cluster);
                SecureServer server = SecureServer.listenOnLoopback(
                        serving,
                        ClusterSettings.ownHostName(),
                        MonotonicClock.system(),
                        new ProcessThreads(SchedulerListener.NONE))) {
            UnaryOperator<String> page = path -> requests.page("page", path, LONGEST_ANSWER, MOST_BYTES);
            // A page that cannot be read is reported immediately, instead of in the browser.
            String ignored = page.apply(ForwardedPage.PATH);
            new ForwardedPage(page).addTo(server);
            serve(server, ForwardedPage.PATH);
        } catch (ClusterException unanswered) {
            throw new CommandException(scheduler.message(unanswered), unanswered);
        }
        return 0;
    }

    private int show() {
        ThreadFactory threads = new ProcessThreads(SchedulerListener.NONE);
        // It listens before the simulation, so that an address in use is reported immediately.
        try (AskedCluster asked = reading.read(terminal, reader -> reader.read(sources, terminal.in()));
                SecureServer server = listen(threads);
                Shown shown = now ? asItIs(asked) : simulated(asked)) {
            ClusterDump dump = asked.dump();
            Set<String> profiles = Set.copyOf(ProfileOptions.names(asked.config()));
            Instant made = terminal.clock().instant();
            ShownCluster cluster = new ShownCluster(
                    shown.view, pod -> ShownCluster.explain(shown.questions, shown.view, pod), profiles);
            OneAtATime turn = new OneAtATime();
            new ServedPage(
                            () -> shown.content
                                    .get()
                                    .made(made)
                                    .notes(dump.warnings())
                                    .notes(dump.notes()),
                            () -> cluster,
                            Optional.empty(),
                            QuestionPages.PATH.substring(1),
                            turn)
                    .addTo(server, "/");
            new QuestionPages(new RemoteQuestions(Commands.questions(), asked), terminal.clock()).addTo(server, turn);
            serve(server, "/");
        }
        return 0;
    }

    // Until the process receives a signal to stop.
    private void serve(SecureServer server, String path) {
        CountDownLatch end = new CountDownLatch(1);
        process.onTermination(() -> {
            end.countDown();
            return true;
        });
        server.start();
        terminal.out().println("https://" + address() + ":" + server.port() + path);
        terminal.out().flush();
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String address() {
        return serving.bindAddress().contains(":") ? "[" + serving.bindAddress() + "]" : serving.bindAddress();
    }

    private SecureServer listen(ThreadFactory threads) {
        if (serving.securePort() == 0) {
            throw new CommandException("--secure-port: 0 (expected: 1 to 65535)");
        }
        InstantSource clock = MonotonicClock.system();
        String hostName = ClusterSettings.ownHostName();
        if (kubeconfig.isEmpty()) {
            return SecureServer.listenOnLoopback(serving, hostName, clock, threads);
        }
        return SecureServer.listen(
                serving,
                hostName,
                requests(serving.authenticationKubeconfig(), clock),
                requests(serving.authorizationKubeconfig(), clock),
                clock,
                threads);
    }

    private ApiRequests requests(Optional<Path> own, InstantSource clock) {
        return new ApiRequests(
                new ApiConnection(own.or(() -> kubeconfig), Optional.empty()).open(), clock, RequestMetrics.NONE);
    }

    private Shown asItIs(AskedCluster asked) {
        ClusterView view = ClusterView.of(asked.dump().objects());
        return new Shown(() -> PageContent.of(title(), view), view, asked.whatIf());
    }

    private Shown simulated(AskedCluster asked) {
        List<ClusterObject> objects = asked.dump().objects();
        Simulation simulation = Simulation.of(objects, asked.config(), asked.registry());
        SimulationSeed.set(simulation, seed);
        List<WhatIf> atEnd = new ArrayList<>();
        SimulationResult result = simulation.run(atEnd::add);
        ClusterView view = ClusterView.of(result);
        ClusterView before = ClusterView.of(objects);
        return new Shown(
                () -> PageContent.of(title(), view).before(before).groups(GroupResult.all(result.groups())),
                view,
                atEnd.get(0));
    }

    private String title() {
        return String.join(" ", sources);
    }
}
