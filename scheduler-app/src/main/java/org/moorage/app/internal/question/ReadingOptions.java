// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import java.util.function.Function;
import org.moorage.app.internal.options.ConfigFile;
import org.moorage.app.internal.options.ConfigOptions;
import org.moorage.app.internal.options.ExtenderOptions;
import org.moorage.app.internal.options.ProfileOptions;
import org.moorage.app.internal.options.UnknownPluginOptions;
import org.moorage.app.internal.options.WorkloadOptions;
import org.moorage.app.internal.process.ProcessThreads;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;
import org.moorage.simulation.dump.Manifests;
import picocli.CommandLine.Mixin;

/** The scheduler that answers questions, and the changes to a cluster as it is read. */
public final class ReadingOptions {
    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Mixin
    private UnknownPluginOptions unknown = new UnknownPluginOptions();

    @Mixin
    private ProfileOptions profile = new ProfileOptions();

    @Mixin
    private ExtenderOptions extenders = new ExtenderOptions();

    @Mixin
    private WorkloadOptions workloads = new WorkloadOptions();

    /** Returns the options that change the workloads. */
    WorkloadOptions workloads() {
        return workloads;
    }

    /** Returns whether pods may be scheduled by another profile than the one that they name. */
    boolean changesProfiles() {
        return profile.isGiven();
    }

    /**
     * Reads a cluster, and warns of objects that were skipped.
     *
     * @param read reads the objects
     * @throws org.moorage.app.internal.process.CommandException if the configuration cannot be read
     * @throws org.moorage.config.ConfigException if the configuration is refused
     * @throws org.moorage.objects.ClusterFileException if the cluster cannot be read
     */
    public AskedCluster read(Terminal terminal, Function<ClusterDumpReader, ClusterDump> read) {
        PluginRegistry registry = config.registry(JarRules.WithoutVersion.NOTED, terminal::warn);
        LoadedConfig loaded = config.load(registry, unknown.unknownPlugins(), terminal);
        Manifests manifests = new Manifests(loaded.featureGates());
        ClusterDumpReader reader = workloads
                .apply(new ClusterDumpReader(loaded, registry))
                .parsingOn(parser -> new ProcessThreads(SchedulerListener.NONE)
                        .replaceable("parser", parser)
                        .start())
                .withClaims()
                .reportingTo(manifests);
        ClusterDump dump = profile.apply(read.apply(reader), loaded, terminal);
        ConfigFile.warn(loaded, terminal);
        WorkloadOptions.tell(dump, terminal);
        return new AskedCluster(
                dump, manifests, loaded, config.file(), extenders::apply, profile.taking(loaded), registry, terminal);
    }
}
