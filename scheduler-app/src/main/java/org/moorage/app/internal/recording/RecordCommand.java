// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.recording;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Quantity;
import org.moorage.app.internal.live.KeptFieldsOptions;
import org.moorage.app.internal.live.LiveChanges;
import org.moorage.app.internal.live.LiveObjects;
import org.moorage.app.internal.live.LiveOptions;
import org.moorage.app.internal.live.RunningTime;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.ProcessThreads;
import org.moorage.app.internal.report.Terminal;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.metrics.SchedulerListener;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Records a cluster that runs. */
@Command(
        name = "record",
        description = {
            "Record the objects of a live cluster and each change of them.",
            "",
            "A watch that ends is renewed, and missed changes are added. Secrets and ConfigMaps are not read; fields that scheduling does not read are omitted, as in a snapshot. Recording ends with SIGINT, SIGTERM, --for or --limit."
        },
        footer = {
            "  moorage record monday.jsonl --for 8h --limit 2Gi",
            "  moorage replay monday.jsonl --config other.yaml"
        },
        exitCodeList = {"0:the recording is complete"})
public final class RecordCommand implements Callable<Integer> {
    private static final int MOST_UNWRITTEN = 2_000;
    private static final Duration FLUSH = Duration.ofMillis(500);

    private final Terminal terminal;

    @Mixin
    private LiveOptions live = new LiveOptions();

    @Mixin
    private KeptFieldsOptions kept = new KeptFieldsOptions();

    @Mixin
    private RunningTime time = new RunningTime();

    @Option(
            names = "--limit",
            paramLabel = "SIZE",
            description = "Maximum size of the recording, such as 500Mi (default: no limit).")
    private Optional<String> limit = Optional.empty();

    @Parameters(index = "0", paramLabel = "FILE", description = "File to write; an existing file is replaced.")
    private Path file = Path.of("");

    /** Writes that are queued. */
    private final BlockingQueue<Consumer<RecordingWriter>> unwritten = new LinkedBlockingQueue<>(MOST_UNWRITTEN);

    /** Whether all objects of the initial lists are written. */
    private final AtomicBoolean isListed = new AtomicBoolean();

    private final InstantSource clock = MonotonicClock.system();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    /** Creates the command; it prints to that terminal. */
    public RecordCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        long most = limit.map(RecordCommand::bytes).orElse(Long.MAX_VALUE);
        ProcessThreads threads = new ProcessThreads(SchedulerListener.NONE);
        ClusterSettings settings =
                ClusterSettings.on(ClusterSettings.ownHostName()).withRate(0, 1);
        try (RecordingWriter writer = RecordingWriter.create(file, terminal.clock(), kept.texts());
                KubernetesCluster cluster = new KubernetesCluster(
                        live.connection().open(), settings, InstantSource.system(), new Random(), threads)) {
            threads.replaceable("watch", () -> watch(cluster)).start();
            record(writer, most);
            terminal.note("recorded " + writer.summary());
        }
        return 0;
    }

    private static long bytes(String text) {
        try {
            long amount = Quantity.parse(text).value();
            if (amount > 0) {
                return amount;
            }
        } catch (IllegalArgumentException notAnAmount) {
            // Rejected like an amount that is too small.
        }
        throw new CommandException("--limit: \"" + text + "\" (expected: an amount of bytes such as 500Mi)");
    }

    private void watch(KubernetesCluster cluster) {
        try {
            cluster.watch(
                    Set.copyOf(LiveObjects.KINDS),
                    KeptJson.NONE,
                    new LiveChanges(change -> add(writer -> writer.add(change)), this::missing));
            add(this::listed);
        } catch (RuntimeException cannotBeWatched) {
            failure.set(cannotBeWatched);
        }
    }

    private void listed(RecordingWriter writer) {
        writer.listed();
        isListed.set(true);
        terminal.note("all objects are written; recording changes");
    }

    private void missing(ObjectKind<?> kind, String reason) {
        if (LiveObjects.isRequired(kind)) {
            failure.set(new CommandException(reason));
        } else {
            terminal.note(reason);
        }
    }

    // Back-pressure: a full queue blocks the watches instead of growing.
    private void add(Consumer<RecordingWriter> written) {
        try {
            unwritten.put(written);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void record(RecordingWriter writer, long most) {
        time.begin(clock);
        Instant flushed = clock.instant();
        while (!time.isOver() && writer.bytes() < most) {
            RuntimeException thrown = failure.get();
            if (thrown != null) {
                throw thrown;
            }
            next().ifPresentOrElse(next -> next.accept(writer), writer::flush);
            if (Duration.between(flushed, clock.instant()).compareTo(FLUSH) > 0) {
                flushed = clock.instant();
                writer.flush();
            }
        }
        if (!isListed.get()) {
            throw new CommandException(file + ": the objects of the cluster were not all written (expected: a larger "
                    + (writer.bytes() < most ? "--for" : "--limit") + ")");
        }
        if (writer.bytes() >= most) {
            terminal.note("the limit is reached");
        }
    }

    // Empty if there was nothing for some time.
    private Optional<Consumer<RecordingWriter>> next() {
        try {
            Consumer<RecordingWriter> next = unwritten.poll();
            return next != null
                    ? Optional.of(next)
                    : Optional.ofNullable(unwritten.poll(FLUSH.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            time.end();
            return Optional.empty();
        }
    }
}
