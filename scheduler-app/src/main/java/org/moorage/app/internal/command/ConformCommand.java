// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.moorage.api.feature.EffectiveVersion;
import org.moorage.app.internal.options.PluginOptions;
import org.moorage.app.internal.options.VersionOptions;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.conformance.CaseResult.Correctness;
import org.moorage.conformance.ConformReport;
import org.moorage.conformance.Conformance;
import org.moorage.conformance.ResultCounts;
import org.moorage.conformance.VectorException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares our answers with recorded ones of the real kube-scheduler. */
@Command(
        name = "conform",
        description = {
            "Check Moorage against recorded answers of kube-scheduler.",
            "",
            "The records are decisions, queueing hints, configurations and defaults, and whole sequences of attempts with plugins that --plugin-dir adds. The last line is always \"N right, M wrong\"."
        },
        footer = "  moorage conform testing/conformance/vectors/decisions/*.jsonl.gz",
        exitCodeList = {"0:all answers match", "1:an answer does not", "2:a file cannot be read"})
final class ConformCommand implements Callable<Integer> {
    private static final int WRONG = 1;
    private static final int UNREADABLE = 2;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private VersionOptions versions = new VersionOptions();

    @Mixin
    private PluginOptions plugins = new PluginOptions();

    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description = "Files with recorded answers, one JSON document per line, optionally compressed (.gz); - for "
                    + "stdin.")
    private List<String> files = List.of();

    @Option(
            names = "--show",
            paramLabel = "NAME",
            description = "Check only the case of this name and print it in full.")
    private String show = "";

    @Option(
            names = "--diffs",
            paramLabel = "N",
            defaultValue = "10",
            description = "Number of failed cases to print the first difference of (default: ${DEFAULT-VALUE}).")
    private int diffs;

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec);
        EffectiveVersion version = versions.effective();
        VersionOptions.checkRange(version);
        PluginRegistry registry = plugins.registry(
                JarRules.WithoutVersion.NOTED,
                note -> command.commandLine().getErr().println("note: " + note));
        Conformance conformance = new Conformance(registry, version);
        ConformReport report = new ConformReport(command.commandLine().getOut(), diffs);
        try {
            for (String file : files) {
                ResultCounts counts = conformance.check(
                        file,
                        System.in,
                        name -> show.isEmpty() || name.equals(show),
                        show.isEmpty() ? report::result : report::show);
                if (show.isEmpty() || counts.total() > 0) {
                    report.file(file, counts);
                }
            }
        } catch (VectorException e) {
            command.commandLine().getErr().println("error: " + e.getMessage());
            return UNREADABLE;
        }
        ResultCounts sum = report.summary();
        if (sum.total() == 0) {
            command.commandLine().getErr().println("error: " + nothingChecked());
            return UNREADABLE;
        }
        return sum.count(Correctness.WRONG) > 0 ? WRONG : 0;
    }

    private String nothingChecked() {
        String in = " in " + String.join(" ", files);
        return show.isEmpty()
                ? "nothing checked" + in + " (expected: at least one recorded answer)"
                : "--show: no case \"" + show + "\"" + in + " (expected: the name of one)";
    }
}
