// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.convert;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.moorage.app.internal.options.ManifestFile;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Converts manifests. */
@Command(
        name = "convert",
        description = {
            "Convert gangs of Coscheduling in manifests to those of Kubernetes.",
            "",
            "PodGroups of scheduling.x-k8s.io become PodGroups of scheduling.k8s.io, and the label"
                    + " scheduling.x-k8s.io/pod-group of pods and pod templates becomes spec.schedulingGroup. Everything"
                    + " else stays as it is written. Fields without a counterpart become comments in the result, and notes"
                    + " on stderr.",
            "",
            "moorage config convert --native-gangs converts the configuration of the scheduler."
        },
        footer = {"  moorage convert training.yaml > native.yaml", "  kubectl get job train -o yaml | moorage convert -"
        },
        exitCodeList = {"0:the manifests are converted"})
public final class ConvertCommand implements Callable<Integer> {
    private static final String EXPECTED = "a file of manifests, or - for stdin";

    private final Terminal terminal;

    @Parameters(
            arity = "1..*",
            paramLabel = "MANIFEST",
            description = "Files of manifests, in YAML or JSON; - for stdin.")
    private List<Path> files = List.of();

    /** Creates the command; it prints to that terminal. */
    public ConvertCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        GangManifests manifests = new GangManifests(terminal::warn);
        for (Path file : files) {
            ManifestFile read = ManifestFile.read(file, EXPECTED, terminal.in());
            manifests.add(read.name(), read.text());
        }
        boolean isFirst = true;
        for (String text : manifests.convert()) {
            if (!isFirst && !text.startsWith("---")) {
                terminal.out().print("---\n");
            }
            terminal.out().print(text.endsWith("\n") || text.isEmpty() ? text : text + "\n");
            isFirst = false;
        }
        return 0;
    }
}
