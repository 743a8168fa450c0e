// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.moorage.api.model.OtherObject;
import org.moorage.app.internal.live.LiveObjects;
import org.moorage.app.internal.live.LiveOptions;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Terminal;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.runtime.MonotonicClock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes a cluster that runs into a file that the other commands read. */
@Command(
        name = "dump",
        description = {
            "Writes a cluster that runs into a file that the other commands read.",
            "",
            "It has all that decides where pods go and what pods are made of, an object a line. Secrets and ConfigMaps are"
                    + " not read; of containers only what decides is written, and of pods' annotations those of Kubernetes.",
        },
        footer = {
            "",
            "Example:",
            "  moorage dump -o cluster.jsonl.gz",
            "  moorage simulate cluster.jsonl.gz",
        })
final class DumpCommand implements Callable<Integer> {
    private static final String ANNOTATIONS = "annotations";

    private final Terminal terminal;

    @Mixin
    private LiveOptions live = new LiveOptions();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Where to, compressed if it ends in .gz; in place of standard output.")
    private Optional<Path> file = Optional.empty();

    @Option(
            names = "--whole",
            description =
                    "Write objects as they are, also what may be secret of environments, commands and annotations.")
    private boolean whole;

    @Option(
            names = "--keep-annotation",
            paramLabel = "PREFIX",
            description = "Also keep the annotations of pods that begin with this. May be given several times.")
    private List<String> keptAnnotations = new ArrayList<>();

    DumpCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (ApiRequests requests =
                new ApiRequests(live.connection().open(), MonotonicClock.system(), RequestMetrics.NONE)) {
            if (file.isEmpty()) {
                Map<String, Integer> counts = write(requests, terminal.out()::println);
                terminal.out().flush();
                terminal.note(text(counts));
            } else {
                try (DumpFile dump = DumpFile.create(file.get())) {
                    Map<String, Integer> counts = write(requests, dump::line);
                    long bytes = dump.finish();
                    terminal.note(file.get() + ": " + text(counts) + "; " + (bytes + 1023) / 1024 + " KiB");
                }
            }
        }
        return 0;
    }

    private Map<String, Integer> write(ApiRequests requests, Consumer<String> lines) {
        Map<String, Integer> counts = new TreeMap<>();
        ProgressLine progress = new ProgressLine(terminal, "objects", 0);
        List<String> missing;
        try {
            int[] count = new int[1];
            missing = LiveObjects.list(requests, object -> {
                lines.accept(text(object));
                counts.merge(object.kind().kind(), 1, Integer::sum);
                progress.show(++count[0]);
            });
        } finally {
            progress.clear();
        }
        missing.forEach(terminal::warn);
        return counts;
    }

    private static String text(Map<String, Integer> counts) {
        List<String> texts = new ArrayList<>();
        counts.forEach((kind, count) -> texts.add(kind + " " + count));
        return texts.isEmpty() ? "no objects" : String.join(", ", texts);
    }

    private String text(OtherObject object) {
        if (whole) {
            return object.json();
        }
        ObjectNode tree = LiveObjects.tree(object);
        if (object.kind().kind().equals("Pod")) {
            leaveOutAnnotations(tree);
        }
        leaveOutAnnotationsOfTemplates(tree);
        return tree.toString();
    }

    private void leaveOutAnnotationsOfTemplates(JsonNode value) {
        if (value.path("template") instanceof ObjectNode template) {
            leaveOutAnnotations(template);
        }
        value.forEach(this::leaveOutAnnotationsOfTemplates);
    }

    private void leaveOutAnnotations(ObjectNode pod) {
        if (pod.path("metadata").path(ANNOTATIONS) instanceof ObjectNode annotations) {
            List<String> names = new ArrayList<>();
            annotations.fieldNames().forEachRemaining(names::add);
            names.removeIf(
                    name -> isOfKubernetes(name) || keptAnnotations.stream().anyMatch(name::startsWith));
            annotations.remove(names);
        }
    }

    // What schedulers and controllers of Kubernetes read, and no text of a person's.
    private static boolean isOfKubernetes(String annotation) {
        String domain = annotation.substring(0, Math.max(0, annotation.indexOf('/')));
        return isIn(domain, "kubernetes.io") || isIn(domain, "k8s.io");
    }

    private static boolean isIn(String domain, String parent) {
        return domain.equals(parent) || domain.endsWith("." + parent);
    }
}
