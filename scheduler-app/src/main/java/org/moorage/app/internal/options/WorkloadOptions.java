// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import java.util.ArrayList;
import java.util.List;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;
import picocli.CommandLine.Option;

/** The options that change the cluster before a question: its workloads, and manifests that are applied. */
@OptionGroup(Heading.WORKLOADS)
public final class WorkloadOptions {
    @Option(names = "--cron-jobs", description = "Start one Job of each CronJob that is not suspended.")
    private boolean cronJobs;

    @Option(
            names = "--apply",
            paramLabel = "FILE",
            description =
                    "Manifests to apply to the cluster first, as kubectl apply does; - for stdin; may be repeated.")
    private List<String> changed = new ArrayList<>();

    @Option(names = "--reschedule-lost", description = "Reschedule pods whose node is missing from the snapshot.")
    private boolean reschedulesLost;

    /** Configures a reader with these options. */
    public ClusterDumpReader apply(ClusterDumpReader reader) {
        reader.withWorkloads().withChanged(changed);
        if (reschedulesLost) {
            reader.withLostPodsCreatedAgain();
        }
        return cronJobs ? reader.withCronJobs() : reader;
    }

    /**
     * Checks that stdin is read once.
     *
     * @throws CommandException if it is read for the cluster too
     */
    public void checkStdin(List<String> sources) {
        if (readsStdin() && sources.contains("-")) {
            throw new CommandException("--apply: - (expected: a file, since the cluster is read from stdin)");
        }
    }

    /** Returns whether something is read from stdin. */
    public boolean readsStdin() {
        return changed.contains("-");
    }

    /** Returns whether the options create pods that are in no file. */
    public boolean reschedulesLost() {
        return reschedulesLost;
    }

    /** Prints the warnings and notes of a cluster that was read. */
    public static void tell(ClusterDump dump, Terminal terminal) {
        dump.warnings().forEach(terminal::warn);
        dump.notes().forEach(terminal::note);
    }
}
