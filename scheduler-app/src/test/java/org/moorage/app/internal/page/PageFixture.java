// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.answer.GroupResult;
import org.moorage.app.internal.answer.PodExplanation;
import org.moorage.app.internal.report.JsonAnswer;
import org.moorage.app.internal.report.ReportBlocks;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.dump.ClusterDump;

/** Test data for pages. */
final class PageFixture {
    static final JsonMapper JSON = JsonMapper.builder().build();
    /** A name that would run a script in the browser of a user who views it. */
    static final String HOSTILE = "</script><img src=x onerror='window.pwned=1'><script>window.pwned=2</script>";

    static final Instant MADE = Instant.parse("2026-11-26T08:00:00Z");
    private static final Pattern DATA = Pattern.compile("id=\"data\">([^<]*)</script>");

    private PageFixture() {}

    /** A cluster from JSON lines. */
    static ClusterDump cluster(Path folder, String jsonLines) {
        try {
            return ClusterDump.read(Files.writeString(folder.resolve("cluster.jsonl"), jsonLines));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The page of a generated cluster as it is. */
    static PageContent.Builder generated(Path folder, int nodes, int pods) {
        ClusterDump dump = cluster(folder, OpenbLikeCluster.of(nodes, pods));
        return PageContent.of("cluster-" + nodes + ".jsonl", ClusterView.of(dump.objects()))
                .command("moorage simulate cluster-" + nodes + ".jsonl --report page.html")
                .made(MADE);
    }

    /**
     * The page of a simulation of a generated cluster, with what the plugins say of the first pod of each of these
     * applications.
     */
    static PageContent.Builder simulated(Path folder, int nodes, int pods, String... applications) {
        ClusterDump dump = cluster(folder, OpenbLikeCluster.of(nodes, pods));
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        LoadedConfig config = ConfigLoader.defaults(registry);
        Simulation simulation = Simulation.of(dump.objects(), config, registry).seed(1);
        SimulationResult result = simulation.run();
        PageContent.Builder content = PageContent.of("cluster-" + nodes + ".jsonl", ClusterView.of(result))
                .before(ClusterView.of(dump.objects()))
                .groups(GroupResult.all(result.groups()))
                .command("moorage simulate cluster-" + nodes + ".jsonl --report page.html")
                .made(MADE);
        for (String application : applications) {
            Pod pod = dump.pods().stream()
                    .filter(any -> any.name().startsWith(application + "-"))
                    .findFirst()
                    .orElseThrow();
            content.evaluation(PodExplanation.of(simulation.explainNow(pod), List.of()));
        }
        return content;
    }

    /** Two nodes and two pods whose names and messages are hostile where the API server would let them be. */
    static PageContent.Builder hostile(Path folder) throws IOException {
        ObjectNode node = JSON.createObjectNode().put("kind", "Node").put("apiVersion", "v1");
        ObjectNode metadata = node.putObject("metadata").put("name", "node-a");
        metadata.putObject("labels")
                .put("topology.kubernetes.io/zone", HOSTILE)
                .put("node.kubernetes.io/instance-type", HOSTILE);
        node.putObject("spec")
                .putArray("taints")
                .addObject()
                .put("key", HOSTILE)
                .put("value", HOSTILE)
                .put("effect", "NoSchedule");
        node.putObject("status").putObject("allocatable").put("cpu", "4").put("pods", "10");
        ObjectNode pod = JSON.createObjectNode().put("kind", "Pod").put("apiVersion", "v1");
        pod.putObject("metadata")
                .put("name", "pod-a")
                .put("namespace", "default")
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", HOSTILE)
                .put("name", HOSTILE)
                .put("uid", "1")
                .put("controller", true);
        pod.putObject("spec")
                .putArray("containers")
                .addObject()
                .put("name", "main")
                .put("image", "main");
        pod.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", "PodScheduled")
                .put("status", "False")
                .put("reason", "Unschedulable")
                .put("message", HOSTILE);
        ClusterDump dump = cluster(folder, JSON.writeValueAsString(node) + "\n" + JSON.writeValueAsString(pod) + "\n");
        return PageContent.of(HOSTILE, ClusterView.of(dump.objects()))
                .command(HOSTILE)
                .made(MADE)
                .notes(List.of(HOSTILE))
                .answer(new PageAnswer(
                        HOSTILE,
                        false,
                        HOSTILE,
                        List.of(new PageAnswer.Figure(HOSTILE, HOSTILE)),
                        List.of(
                                new ReportBlocks.Heading(HOSTILE),
                                new ReportBlocks.Text(HOSTILE, HOSTILE),
                                new ReportBlocks.Table(
                                        List.of(new ReportBlocks.Column(HOSTILE, false)),
                                        List.of(List.of(new ReportBlocks.Value(HOSTILE, HOSTILE))))),
                        new JsonAnswer(JSON.createObjectNode().put(HOSTILE, HOSTILE))));
    }

    /** The data that is in a page; empty if there is none. */
    static Optional<JsonNode> data(byte[] page) throws IOException {
        Matcher found = DATA.matcher(new String(page, UTF_8));
        if (!found.find()) {
            return Optional.empty();
        }
        byte[] compressed = Base64.getDecoder().decode(found.group(1));
        return Optional.of(JSON.readTree(new GZIPInputStream(new ByteArrayInputStream(compressed))));
    }
}
