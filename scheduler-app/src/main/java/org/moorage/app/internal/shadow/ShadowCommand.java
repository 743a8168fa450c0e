// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.shadow;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.app.internal.live.LiveChange;
import org.moorage.app.internal.live.LiveChanges;
import org.moorage.app.internal.live.LiveOptions;
import org.moorage.app.internal.live.RunningTime;
import org.moorage.app.internal.options.ConfigFile;
import org.moorage.app.internal.options.ConfigOptions;
import org.moorage.app.internal.options.UnknownPluginOptions;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.ProcessThreads;
import org.moorage.app.internal.question.OutputOptions;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.metrics.SchedulerListener;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Compares the decisions of a running scheduler with Moorage's, without binding. */
@Command(
        name = "shadow",
        description = {
            "Report decisions of another scheduler that Moorage would not make.",
            "",
            "Nothing is written to the cluster. Each binding of a pod for a profile of the configuration is compared with the plugins' answers for the cluster as the other scheduler may have seen it, in each order that its changes can have had. On large clusters kube-scheduler scores only a sample of the nodes; differences that may be due to that are reported separately."
        },
        footer = "  moorage shadow --config scheduler.yaml --for 10m -o json > differences.jsonl",
        exitCodeList = {"0:each decision is explained", "1:a decision is not, or the cluster cannot be watched"})
public final class ShadowCommand implements Callable<Integer> {
    private static final int MOST_UNTAKEN = 50_000;
    /** The maximum time after the end for judging what was seen. */
    private static final Duration LONGEST_END = Duration.ofSeconds(60);

    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Terminal terminal;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Mixin
    private UnknownPluginOptions unknown = new UnknownPluginOptions();

    @Mixin
    private LiveOptions live = new LiveOptions();

    @Mixin
    private RunningTime time = new RunningTime();

    @Mixin
    private OutputOptions output = new OutputOptions();

    private final InstantSource clock = MonotonicClock.system();
    private final BlockingQueue<LiveChange> changes = new LinkedBlockingQueue<>(MOST_UNTAKEN);
    private final AtomicBoolean isSynced = new AtomicBoolean();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    /** Creates the command; it prints to that terminal. */
    public ShadowCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        PluginRegistry registry = config.registry(JarRules.WithoutVersion.NOTED, terminal::warn);
        LoadedConfig loaded = config.load(registry, unknown.unknownPlugins(), terminal);
        ConfigFile.warn(loaded, terminal);
        ShadowReport report = new ShadowReport(output.isLines(), terminal);
        ProcessThreads threads = new ProcessThreads(SchedulerListener.NONE);
        ClusterSettings settings =
                ClusterSettings.on(ClusterSettings.ownHostName()).withRate(0, 1);
        try (DecisionJudge judge = new DecisionJudge(loaded, registry, report::print);
                KubernetesCluster cluster = new KubernetesCluster(
                        live.connection().open(), settings, InstantSource.system(), new Random(), threads)) {
            threads.replaceable("watch", () -> watch(cluster, loaded.featureGates()))
                    .start();
            shadow(judge);
            finish(judge);
            report.printSummary(judge.verdicts());
            return judge.verdicts().areAllExplained() ? 0 : 1;
        }
    }

    private void finish(DecisionJudge judge) {
        Duration limit = elapsed().plus(LONGEST_END);
        boolean isDone = judge.finish(elapsed());
        while (!isDone && elapsed().compareTo(limit) < 0) {
            isDone = judge.finish(elapsed());
        }
        if (!isDone) {
            terminal.warn(judge.backlog() + " bindings and other changes were not judged within "
                    + LONGEST_END.toSeconds() + " s");
        }
    }

    private void watch(KubernetesCluster cluster, FeatureGates gates) {
        try {
            Set<ObjectKind<?>> kinds = new HashSet<>(ObjectKind.TYPED);
            if (!gates.isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
                kinds.remove(ObjectKind.POD_GROUP);
            }
            if (!gates.isEnabled(FeatureGates.COMPOSITE_POD_GROUP)) {
                kinds.remove(ObjectKind.COMPOSITE_POD_GROUP);
            }
            cluster.watch(kinds, KeptJson.NONE, new LiveChanges(this::add, (kind, reason) -> terminal.note(reason)));
            isSynced.set(true);
        } catch (RuntimeException cannotBeWatched) {
            failure.set(cannotBeWatched);
        }
    }

    // Back-pressure: a full queue blocks the watches instead of growing.
    private void add(LiveChange change) {
        try {
            changes.put(change);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Duration elapsed() {
        return Duration.between(Instant.EPOCH, clock.instant());
    }

    private void shadow(DecisionJudge judge) {
        time.begin(clock);
        boolean isTold = false;
        List<LiveChange> taken = new ArrayList<>();
        while (!time.isOver()) {
            RuntimeException thrown = failure.get();
            if (thrown != null) {
                throw thrown;
            }
            boolean wasSynced = isSynced.get();
            taken.clear();
            if (judge.backlog() < MOST_UNTAKEN) {
                drain(taken);
            }
            taken.forEach(change -> judge.take(change, elapsed()));
            if (wasSynced) {
                if (!isTold) {
                    terminal.note("watching; each decision from now on is judged");
                    isTold = true;
                }
                judge.judge(elapsed());
            }
        }
        if (!isSynced.get()) {
            throw new CommandException("the objects of the cluster were not listed in time (expected: a longer --for)");
        }
        changes.drainTo(taken);
        taken.forEach(change -> judge.take(change, elapsed()));
    }

    private void drain(List<LiveChange> taken) {
        try {
            LiveChange next = changes.poll(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
            if (next != null) {
                taken.add(next);
                changes.drainTo(taken);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            time.end();
        }
    }
}
