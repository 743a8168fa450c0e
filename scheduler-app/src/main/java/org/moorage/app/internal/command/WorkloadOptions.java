// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import org.moorage.app.internal.report.Terminal;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;
import picocli.CommandLine.Option;

/** What is made of the workloads of a cluster. */
final class WorkloadOptions {
    @Option(names = "--cron-jobs", description = "Start one job of each cron job that is not suspended.")
    private boolean cronJobs;

    /** Has a reader make the pods. */
    ClusterDumpReader apply(ClusterDumpReader reader) {
        reader.withWorkloads();
        return cronJobs ? reader.withCronJobs() : reader;
    }

    /** Tells what was passed over, what was made, and what may be a mistake. */
    static void tell(ClusterDump dump, Terminal terminal) {
        dump.warnings().forEach(terminal::warn);
        dump.notes().forEach(terminal::note);
    }
}
