// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.options.ConfigOptions;
import org.moorage.app.internal.process.HostProcess;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Runs the scheduler of a cluster until the process is stopped. */
@Command(
        name = "run",
        description = {
            "Run the scheduler of a cluster, as moorage --config=FILE does.",
            "",
            "It takes the flags and the configuration of kube-scheduler. Flags without a command run the scheduler, too.",
        },
        footer = {
            "  moorage run --config=scheduler.yaml",
            "  moorage --config=scheduler.yaml --kubeconfig=scheduler.conf --leader-elect=false",
        },
        exitCodeList = {
            "0:it received a signal to stop",
            "1:it cannot start, or lost the lease",
            "2:the command line is malformed"
        })
public final class RunCommand implements Callable<Integer> {
    private final HostProcess process;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Mixin
    private SchedulerOptions options = new SchedulerOptions();

    @Spec
    private @Nullable CommandSpec spec;

    /** A command that runs the scheduler in a process. */
    public RunCommand(HostProcess process) {
        this.process = process;
    }

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("the command line was not parsed");
        }
        ParseResult parsed = spec.commandLine().getParseResult();
        return new SchedulerCommand(
                        config,
                        options,
                        FlagTexts.of(spec),
                        UnusedFlags.given(parsed),
                        UnusedFlags.countingWithoutFile(parsed))
                .run(process);
    }
}
