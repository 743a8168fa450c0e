// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.snapshot;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import org.moorage.api.model.OtherObject;
import org.moorage.app.internal.live.KeptFieldsOptions;
import org.moorage.app.internal.live.LiveObjects;
import org.moorage.app.internal.live.LiveOptions;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Terminal;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.runtime.MonotonicClock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes a cluster that runs into a file that the other commands read. */
@Command(
        name = "snapshot",
        description = {
            "Save a snapshot of a live cluster to a file.",
            "",
            "The file has an object on each line: everything that scheduling reads, and the workloads that create pods. Secrets and ConfigMaps are not read. Fields that scheduling does not read are omitted, since they may hold secrets."
        },
        footer = {"  moorage snapshot -f cluster.jsonl.gz", "  moorage simulate cluster.jsonl.gz"},
        exitCodeList = {"0:the snapshot is complete"})
public final class SnapshotCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private LiveOptions live = new LiveOptions();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "File to write, compressed if its name ends in .gz (default: standard output).")
    private Optional<Path> file = Optional.empty();

    @Mixin
    private KeptFieldsOptions kept = new KeptFieldsOptions();

    /** Creates the command; it prints to that terminal. */
    public SnapshotCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (ApiRequests requests =
                new ApiRequests(live.connection().open(), MonotonicClock.system(), RequestMetrics.NONE)) {
            if (file.isEmpty()) {
                Map<String, Integer> counts = write(requests, terminal.out()::println);
                terminal.out().flush();
                terminal.note(text(counts));
            } else {
                try (SnapshotFile dump = SnapshotFile.create(file.get())) {
                    Map<String, Integer> counts = write(requests, dump::line);
                    long bytes = dump.finish();
                    terminal.note(file.get() + ": " + text(counts) + "; " + (bytes + 1023) / 1024 + " KiB");
                }
            }
        }
        return 0;
    }

    private Map<String, Integer> write(ApiRequests requests, Consumer<String> lines) {
        Map<String, Integer> counts = new TreeMap<>();
        Function<OtherObject, String> texts = kept.texts();
        ProgressLine progress = new ProgressLine(terminal, "objects", 0);
        List<String> missing;
        try {
            int[] count = new int[1];
            missing = LiveObjects.list(requests, object -> {
                lines.accept(texts.apply(object));
                counts.merge(object.kind().kind(), 1, Integer::sum);
                progress.show(++count[0]);
            });
        } finally {
            progress.clear();
        }
        missing.forEach(terminal::warn);
        return counts;
    }

    private static String text(Map<String, Integer> counts) {
        List<String> texts = new ArrayList<>();
        counts.forEach((kind, count) -> texts.add(kind + " " + count));
        return texts.isEmpty() ? "no objects" : String.join(", ", texts);
    }
}
