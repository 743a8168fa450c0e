// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.live.KeptFields;
import org.moorage.app.internal.live.LiveObjects;
import org.moorage.app.internal.live.LiveOptions;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.runtime.MonotonicClock;
import org.moorage.simulation.dump.ClusterDumpReader;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The cluster that a question is about, and the scheduler that would schedule there. */
@OptionGroup(Heading.CLUSTER)
public final class ClusterOptions {
    @Option(
            names = "--cluster",
            paramLabel = "SOURCE",
            description =
                    "File or folder with the cluster's objects, in YAML or JSON; - for stdin; may be repeated (default:"
                            + " the live cluster).")
    private List<String> sources = new ArrayList<>();

    @Mixin
    private LiveOptions live = new LiveOptions();

    @Mixin
    private ReadingOptions reading = new ReadingOptions();

    /** Returns whether a cluster is named. */
    public boolean areGiven() {
        return !sources.isEmpty() || live.areGiven();
    }

    /** Returns the files and folders that {@code --cluster} names. */
    public List<String> sources() {
        return List.copyOf(sources);
    }

    /** Reads a snapshot: one of the {@link #sources}, as the cluster alone. */
    public AskedCluster snapshot(String source, Terminal terminal) {
        return readFiles(terminal, List.of(source), reader -> {});
    }

    /** Returns whether a cluster is named, or the environment describes one. */
    public boolean findCluster() {
        return areGiven() || live.findCluster();
    }

    /** The API server of the cluster; nothing is read from it yet. */
    public ApiConnection connection() {
        return live.connection();
    }

    /** Returns whether something is read from stdin. */
    public boolean readStdin() {
        return sources.contains("-") || reading.workloads().readsStdin();
    }

    /** Returns whether pods may be scheduled by another profile than the one that they name. */
    public boolean changeProfiles() {
        return reading.changesProfiles();
    }

    /** Returns whether the options create pods that are in no file. */
    public boolean rescheduleLost() {
        return reading.workloads().reschedulesLost();
    }

    /**
     * Reads the cluster, and warns of objects that were skipped.
     *
     * @throws CommandException if no cluster is named, or the configuration cannot be read
     * @throws org.moorage.config.ConfigException if the configuration is refused
     * @throws org.moorage.objects.ClusterFileException if the cluster cannot be read
     */
    public AskedCluster read(Terminal terminal) {
        return read(terminal, List.of(), reader -> {});
    }

    /**
     * Reads the cluster as {@link #read(Terminal)} does, but arguments may name it.
     *
     * @param otherwise the files to read if no option names a file
     * @param setUp configures the reader to read more than the cluster
     */
    public AskedCluster read(Terminal terminal, List<String> otherwise, Consumer<ClusterDumpReader> setUp) {
        return readFiles(terminal, areGiven() ? sources : otherwise, setUp);
    }

    private AskedCluster readFiles(Terminal terminal, List<String> files, Consumer<ClusterDumpReader> setUp) {
        if (files.isEmpty() ? !live.findCluster() : live.areGiven()) {
            throw new CommandException(
                    files.isEmpty()
                            ? "no cluster configured: pass --cluster FILE or --kubeconfig FILE, or set KUBECONFIG"
                            : "--cluster: " + String.join(" ", files)
                                    + " (expected: files or a live cluster, not both)");
        }
        if (files.isEmpty() && !live.areGiven()) {
            terminal.note("no --cluster, so the live cluster is read: "
                    + live.connection().title());
        }
        reading.workloads().checkStdin(files.isEmpty() ? List.of("-") : files);
        return reading.read(terminal, reader -> {
            setUp.accept(reader);
            return files.isEmpty()
                    ? reader.read("the API server", liveObjects(terminal))
                    : reader.read(files, terminal.in());
        });
    }

    // Compressed text of the kept fields: a tenth of the size of a large cluster's objects.
    private InputStream liveObjects(Terminal terminal) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ApiRequests requests =
                        new ApiRequests(live.connection().open(), MonotonicClock.system(), RequestMetrics.NONE);
                PrintStream lines = new PrintStream(new GZIPOutputStream(bytes), false, UTF_8)) {
            // Nothing is written to a file here, and plugins may read any annotation.
            KeptFields kept = new KeptFields(List.of(""));
            LiveObjects.list(requests, object -> lines.println(kept.text(object)))
                    .forEach(terminal::warn);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            return new GZIPInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
