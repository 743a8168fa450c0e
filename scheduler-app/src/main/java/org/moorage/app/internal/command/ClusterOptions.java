// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.ArrayList;
import java.util.List;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;
import org.moorage.simulation.dump.Manifests;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which cluster a question is about, and which scheduler would schedule there. */
final class ClusterOptions {
    @Option(
            names = "--cluster",
            paramLabel = "SOURCE",
            description = "A file or folder with the cluster's objects, in YAML or JSON; - for stdin; may be repeated.")
    private List<String> sources = new ArrayList<>();

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Mixin
    private ExtenderOptions extenders = new ExtenderOptions();

    @Mixin
    private WorkloadOptions workloads = new WorkloadOptions();

    /**
     * Reads the cluster and tells the user what of it was passed over.
     *
     * @throws CommandException if no cluster is named, or the configuration cannot be read
     * @throws org.moorage.config.ConfigException if the configuration is refused
     * @throws org.moorage.objects.ClusterFileException if the cluster cannot be read
     */
    AskedCluster read(Terminal terminal) {
        if (sources.isEmpty()) {
            throw new CommandException("--cluster: missing (expected: a file or folder with the cluster's objects)");
        }
        workloads.checkStdin(sources);
        PluginRegistry registry = config.registry(JarRules.WithoutVersion.NOTED, terminal::warn);
        LoadedConfig loaded = config.load(registry);
        Manifests manifests = new Manifests(loaded.featureGates());
        ClusterDump dump = workloads
                .apply(new ClusterDumpReader(loaded, registry))
                .withClaims()
                .telling(manifests)
                .read(sources, terminal.in());
        ConfigFile.warn(loaded, terminal);
        WorkloadOptions.tell(dump, terminal);
        return new AskedCluster(dump, manifests, loaded, config.file(), extenders::apply, registry, terminal);
    }
}
