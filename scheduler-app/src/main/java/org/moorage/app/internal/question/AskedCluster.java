// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.options.ProfileOptions;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;
import org.moorage.simulation.dump.Manifests;
import org.moorage.simulation.whatif.KnownCluster;

/**
 * A cluster to answer questions about: its objects, and the scheduler that answers. Safe for use by several threads.
 */
public final class AskedCluster implements AutoCloseable {
    private static final String ZONE = "topology.kubernetes.io/zone";

    private final ClusterDump dump;
    private final Manifests manifests;
    private final LoadedConfig config;
    private final Optional<Path> configFile;
    private final UnaryOperator<LoadedConfig> extenders;
    private final UnaryOperator<Pod> taking;
    private final PluginRegistry registry;
    private final Terminal terminal;
    private final Instant now;
    private final Optional<AskedCluster> original;
    private @Nullable WhatIf whatIf;
    private @Nullable KnownCluster known;

    /**
     * Creates a cluster to answer questions about.
     *
     * @param manifests creates pods from manifests in it
     * @param config the scheduler's configuration
     * @param configFile the file that the configuration is from
     * @param extenders removes the extenders that must not be called
     * @param taking assigns a pod of another scheduler to a profile of this one
     */
    public AskedCluster(
            ClusterDump dump,
            Manifests manifests,
            LoadedConfig config,
            Optional<Path> configFile,
            UnaryOperator<LoadedConfig> extenders,
            UnaryOperator<Pod> taking,
            PluginRegistry registry,
            Terminal terminal) {
        this.dump = dump;
        this.manifests = manifests;
        this.config = extenders.apply(config);
        this.configFile = configFile;
        this.extenders = extenders;
        this.taking = taking;
        this.registry = registry;
        this.terminal = terminal;
        now = terminal.clock().instant();
        original = Optional.empty();
    }

    private AskedCluster(AskedCluster original, Terminal terminal) {
        dump = original.dump;
        manifests = original.manifests;
        config = original.config;
        configFile = original.configFile;
        extenders = original.extenders;
        taking = original.taking;
        registry = original.registry;
        this.terminal = terminal;
        now = original.now;
        this.original = Optional.of(original);
    }

    /**
     * Returns the same cluster for one question of an untrusted client, which reads no files; it does not have to be
     * closed.
     *
     * @param input the client's manifest, in place of stdin
     */
    public AskedCluster forClient(InputStream input) {
        PrintWriter nothing = new PrintWriter(Writer.nullWriter());
        return new AskedCluster(this, Terminal.plain(input, nothing, terminal.err(), terminal.clock()));
    }

    /** Returns whether questions may name files of this machine. */
    public boolean readsFiles() {
        return original.isEmpty();
    }

    private void demandInput(List<String> sources) {
        for (String source : sources) {
            if (!readsFiles() && !source.equals("-")) {
                throw new CommandException(
                        "\"" + source + "\" (expected: the text of a manifest, since no files are read)");
            }
        }
    }

    /** The objects as they were read, with the pods that controllers would create. */
    public ClusterDump dump() {
        return dump;
    }

    /** The nodes. */
    public List<Node> nodes() {
        List<Node> nodes = new ArrayList<>();
        for (ClusterObject object : dump.objects()) {
            if (object instanceof Node node) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    /** The zone of each node that has one, by its name. */
    public Map<String, String> zones() {
        Map<String, String> zones = new HashMap<>();
        for (Node node : nodes()) {
            String zone = node.labels().get(ZONE);
            if (zone != null) {
                zones.put(node.name(), zone);
            }
        }
        return zones;
    }

    /** Returns the pending pods of this scheduler's profiles, in order, without gated ones. */
    public List<Pod> waitingPods() {
        return waitingPods(Set.copyOf(ProfileOptions.names(config)));
    }

    /** Returns the pending pods of these profiles, in order, without gated ones. */
    public List<Pod> waitingPods(Set<String> profiles) {
        List<Pod> waiting = new ArrayList<>(known().waitingPods());
        waiting.removeIf(pod -> !pod.spec().schedulingGates().isEmpty()
                || !profiles.contains(pod.spec().schedulerName()));
        return waiting;
    }

    /**
     * Checks that a profile is responsible for a pod.
     *
     * @throws CommandException if none is
     */
    public void demandProfile(Pod pod) {
        demandProfile(pod, config);
    }

    /** Checks that a profile of a configuration is responsible for a pod, as {@link #demandProfile(Pod)}. */
    public static void demandProfile(Pod pod, LoadedConfig config) {
        List<String> names = ProfileOptions.names(config);
        if (!names.contains(pod.spec().schedulerName())) {
            throw new CommandException("pod " + pod.key() + " is for the scheduler \""
                    + pod.spec().schedulerName() + "\" (expected: " + String.join(" or ", names)
                    + "; --scheduler-name schedules it by another profile)");
        }
    }

    /**
     * Creates the pods of manifests as a cluster would create them.
     *
     * @param sources files, folders, or {@code -} for stdin
     * @throws org.moorage.objects.ClusterFileException if a source cannot be read, or an object is malformed
     */
    public Manifests.Contents manifests(List<String> sources) {
        demandInput(sources);
        return manifests.read(sources, terminal.in(), nodes()).withPods(taking);
    }

    /**
     * Reads recorded changes of the cluster.
     *
     * @param source a file, or {@code -} for stdin
     * @return the changes, and notes about them
     * @throws org.moorage.objects.ClusterFileException if the source cannot be read, or an object is malformed
     */
    public ClusterDump changes(String source) {
        demandInput(List.of(source));
        return new ClusterDumpReader(config, registry).readChanges(source, terminal.in(), manifests);
    }

    /** Returns whether it is known which DaemonSets the cluster has. */
    public boolean hasDaemonSets() {
        return manifests.hasDaemonSets();
    }

    /** Returns whether the DaemonSet of a pod is missing from the cluster. */
    public boolean isOrphaned(Pod pod) {
        return manifests.isOrphaned(pod);
    }

    /** Returns the pods of the DaemonSets on a new node. */
    public List<Pod> daemonPods(Node node) {
        return manifests.daemonPods(node);
    }

    /** The cluster with its objects, for questions that need both. */
    public synchronized KnownCluster known() {
        if (original.isPresent()) {
            return original.get().known();
        }
        KnownCluster cluster = known;
        if (cluster == null) {
            cluster = known(whatIf(), config);
            known = cluster;
        }
        return cluster;
    }

    /**
     * Returns the same as {@link #known()}, with a scheduler of another configuration from
     * {@link #whatIf(LoadedConfig)}.
     */
    public KnownCluster known(WhatIf other, LoadedConfig otherConfig) {
        return new KnownCluster(other, dump.objects(), otherConfig, now);
    }

    /** The scheduler's configuration. */
    public LoadedConfig config() {
        return config;
    }

    /** The file that the configuration is from; empty for the default one. */
    public Optional<Path> configFile() {
        return configFile;
    }

    /** Returns the available plugins. */
    public PluginRegistry registry() {
        return registry;
    }

    /** Returns the terminal on which progress is shown. */
    public Terminal terminal() {
        return terminal;
    }

    /**
     * Returns the cluster as it is: pods without a node are pending.
     *
     * @throws org.moorage.config.ConfigException if the profiles cannot be built from the plugins
     */
    public synchronized WhatIf whatIf() {
        if (original.isPresent()) {
            return original.get().whatIf();
        }
        WhatIf cluster = whatIf;
        if (cluster == null) {
            cluster = Scheduler.whatIf(dump.objects(), config, registry);
            whatIf = cluster;
        }
        return cluster;
    }

    /** Returns the same cluster with the scheduler of another configuration; the caller closes it. */
    public WhatIf whatIf(LoadedConfig other) {
        return Scheduler.whatIf(dump.objects(), extenders.apply(other), registry);
    }

    @Override
    public synchronized void close() {
        if (whatIf != null) {
            whatIf.close();
        }
    }
}
