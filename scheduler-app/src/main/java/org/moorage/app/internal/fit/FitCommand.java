// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.fit;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.QuestionCommand;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Terminal;
import org.moorage.simulation.dump.ManifestPods;
import org.moorage.simulation.dump.Manifests;
import org.moorage.simulation.whatif.ClusterCapacity;
import org.moorage.simulation.whatif.FittingPods;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that checks whether the pods of manifests fit into a cluster. */
@Command(
        name = "fit",
        description = {
            "Check whether the pods of manifests fit, and how many more would.",
            "",
            "Replicas of a workload that already run in the cluster count toward its total."
        },
        footer = {"  moorage fit web.yaml", "  moorage fit web.yaml --max --cluster cluster.json.gz"},
        exitCodeList = {"0:all pods fit", "1:a pod does not"})
public final class FitCommand extends QuestionCommand<FitReport> {
    @Option(names = "--max", description = "Also show how many more replicas of each manifest's pod would fit.")
    private boolean max;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "Maximum number of additional replicas that --max tries (default: ${DEFAULT-VALUE}).")
    private int atMost = 10_000;

    @Option(
            names = "--after-pending",
            description = "Schedule the pending pods of the cluster first (default: the pods of the manifests).")
    private boolean afterWaiting;

    @Parameters(
            arity = "1..*",
            paramLabel = "MANIFEST",
            description = "Files or folders with pods and workloads, in YAML or JSON; - for stdin.")
    private List<String> manifests = new ArrayList<>();

    /** Creates the command; it prints to that terminal. */
    public FitCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public FitReport answer(AskedCluster asked) {
        if (atMost < 1) {
            throw new CommandException("--limit: " + atMost + " (expected: 1 or more)");
        }
        Manifests.Contents contents = asked.manifests(manifests);
        if (contents.pods().isEmpty()) {
            throw new CommandException(
                    String.join(", ", manifests) + ": no pod and no workload (expected: one at least)");
        }
        List<Pod> waiting = new ArrayList<>(asked.waitingPods());
        int pods = 0;
        for (ManifestPods manifest : contents.pods()) {
            waiting.removeIf(pod -> manifest.waiting().contains(pod.key()));
            manifest.further()
                    .ifPresent(further -> asked.demandProfile(further.first().pod()));
            pods += manifest.pods().size();
        }
        ProgressLine progress =
                new ProgressLine(asked.terminal(), "attempts", pods + (afterWaiting ? waiting.size() : 0));
        try {
            FittingPods answer = new ClusterCapacity(asked.known(), progress::show)
                    .fit(contents, afterWaiting ? waiting : List.of(), max ? atMost : 0);
            return new FitReport(
                    answer,
                    new FitReport.Asked(
                            contents.notes(), waiting.size(), afterWaiting, max ? atMost : 0, asked.zones()));
        } finally {
            progress.clear();
        }
    }
}
