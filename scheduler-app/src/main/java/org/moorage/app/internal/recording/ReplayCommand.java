// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.recording;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.moorage.app.internal.options.ConfigFile;
import org.moorage.app.internal.options.ConfigOptions;
import org.moorage.app.internal.options.ExtenderOptions;
import org.moorage.app.internal.options.SimulationSeed;
import org.moorage.app.internal.options.UnknownPluginOptions;
import org.moorage.app.internal.options.WorkloadOptions;
import org.moorage.app.internal.question.OutputOptions;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Schedules the pods of a recording with another configuration. */
@Command(
        name = "replay",
        description = {
            "Replay a recording with another scheduler configuration.",
            "",
            "Pods that were bound when the recording began stay on their nodes. Each pod that was pending or was created later is scheduled by this configuration; bindings of the recorded scheduler are ignored, and all other changes are replayed as recorded."
        },
        footer = "  moorage replay monday.jsonl --config other.yaml",
        exitCodeList = {"0:the recording was replayed"})
public final class ReplayCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Mixin
    private UnknownPluginOptions unknown = new UnknownPluginOptions();

    @Mixin
    private ExtenderOptions extenders = new ExtenderOptions();

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Random seed, for reproducible results; any but 0 also breaks ties between nodes at random.")
    private Optional<Long> seed = Optional.empty();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Parameters(index = "0", paramLabel = "RECORDING", description = "Recording of moorage record.")
    private Path file = Path.of("");

    /** Creates the command; it prints to that terminal. */
    public ReplayCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        PluginRegistry registry = config.registry(JarRules.WithoutVersion.NOTED, terminal::warn);
        LoadedConfig loaded = config.load(registry, unknown.unknownPlugins(), terminal);
        Recording recording = Recording.open(file);
        ClusterDump dump = recording.read(new ClusterDumpReader(loaded, registry));
        ConfigFile.warn(loaded, terminal);
        WorkloadOptions.tell(dump, terminal);
        Simulation simulation =
                Simulation.of(dump.objects(), extenders.apply(loaded), registry).changes(dump.changes());
        SimulationSeed.set(simulation, seed);
        Replay replay = Replay.of(
                simulation, RecordedPods.of(recording, dump), dump.changes().size());
        output.print(new ReplayReport(replay), terminal);
        return 0;
    }
}
