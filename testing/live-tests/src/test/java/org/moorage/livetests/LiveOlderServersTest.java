// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.WatchStatus;
import org.moorage.kubernetes.scheduler.KubernetesScheduler;
import org.moorage.livetests.scene.Scene;

/**
 * The default scheduler on API servers of older versions, and on one that is replaced by a newer one while the
 * scheduler runs: taints, volumes, devices, device taint rules as far as the server has them.
 */
@Tag("live")
class LiveOlderServersTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            """;

    /**
     * An API server.
     *
     * @param version the version that it emulates
     * @param devices the version of resource.k8s.io that it serves
     * @param taintRules the version in which it serves device taint rules; empty if it does not
     * @param arguments makes it do so
     */
    record Server(String version, String devices, String taintRules, List<String> arguments) {
        boolean isOlder() {
            return !devices.equals("v1");
        }

        @Override
        public String toString() {
            return version + ", devices as " + devices + ", "
                    + (taintRules.isEmpty() ? "no taint rules" : "taint rules as " + taintRules);
        }
    }

    static final List<Server> SERVERS = List.of(
            new Server("1.34", "v1", "", List.of()),
            new Server(
                    "1.34",
                    "v1beta1",
                    "v1alpha3",
                    List.of(
                            "--feature-gates=DRADeviceTaints=true,DRAExtendedResource=true",
                            "--runtime-config=resource.k8s.io/v1=false,resource.k8s.io/v1beta1=true,"
                                    + "resource.k8s.io/v1alpha3=true")),
            new Server("1.36", "v1", "", List.of()),
            new Server(
                    "1.36",
                    "v1beta2",
                    "v1beta2",
                    List.of(
                            "--feature-gates=DRADeviceTaintRules=true",
                            "--runtime-config=resource.k8s.io/v1=false,resource.k8s.io/v1beta2=true")));

    @ParameterizedTest
    @FieldSource("SERVERS")
    void getWhatTheyServeScheduled(Server server) {
        List<String> arguments = new ArrayList<>(server.arguments);
        arguments.add("--emulated-version=" + server.version);
        try (Scene scene = Scene.open(Map.of("APISERVER_ARGS", String.join(" ", arguments)))) {
            scene.create(objects(server));
            PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
            try (KubernetesScheduler scheduler = KubernetesScheduler.builder(
                            ConfigLoader.load(CONFIG, "scheduler.yaml", plugins), plugins)
                    .connection(new ApiConnection(Optional.of(scene.plane().kubeconfig()), Optional.empty()))
                    .build()) {
                CompletableFuture<Boolean> running = CompletableFuture.supplyAsync(scheduler::run);

                assertThat(scene.awaitNode("storing")).isEqualTo("store");
                assertThat(scene.awaitNode("claiming")).isEqualTo("devices");
                assertThat(scene.awaitNode("untolerating")).isIn("store", "devices");
                assertThat(scene.api()
                                .get("/apis/resource.k8s.io/" + server.devices
                                        + "/namespaces/default/resourceclaims/named")
                                .at("/status/allocation/devices/results/0/device")
                                .asText())
                        .isEqualTo(server.taintRules.isEmpty() ? "worn" : "sound");
                assertThat(notes(scheduler)).isEqualTo(expectedNotes(server));

                if (server.isOlder()) {
                    scene.plane()
                            .restartApiServer(before -> before.stream()
                                    .filter(argument -> !arguments.contains(argument))
                                    .toList());
                    List<String> ignored = scene.await("no notes are left", () -> notes(scheduler), List::isEmpty);
                    scene.create("""
                            {apiVersion: v1, kind: Pod, metadata: {name: later}, spec: {containers: [{name: main, image: app,
                             resources: {requests: {cpu: 100m, example.com/card: "1"}, limits: {example.com/card: "1"}}}]}}
                            """);
                    assertThat(scene.awaitNode("later")).isEqualTo("devices");
                }
                assertThat(running).isNotDone();
            }
        }
    }

    // The first device is worn, and is taken where no rule says so.
    private static String objects(Server server) {
        String text = Scene.resource(LiveOlderServersTest.class, "older-servers.yaml");
        boolean isFlat = server.devices.equals("v1beta1");
        String fields = "attributes: {model: {string: large}}";
        String device = "{name: %s, " + (isFlat ? "basic: {" + fields + "}" : fields) + "}";
        String request =
                "deviceClassName: card, selectors: [{cel: {expression: 'device.attributes[\"cards.example.com\"].model"
                        + " == \"large\"'}}]";
        String objects = text
                + """
                ---
                apiVersion: resource.k8s.io/VERSION
                kind: ResourceSlice
                metadata: {name: cards}
                spec:
                  driver: cards.example.com
                  nodeName: devices
                  pool: {name: devices, generation: 1, resourceSliceCount: 1}
                  devices: [DEVICES]
                ---
                apiVersion: resource.k8s.io/VERSION
                kind: ResourceClaim
                metadata: {name: named}
                spec: {devices: {requests: [{name: card, REQUEST}]}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: claiming}
                spec:
                  resourceClaims: [{name: card, resourceClaimName: named}]
                  containers: [{name: main, image: app, resources: {claims: [{name: card}], requests: {cpu: 500m}}}]
                """.replace(
                                "DEVICES",
                                Stream.of("worn", "sound", "spare")
                                        .map(device::formatted)
                                        .collect(joining(", ")))
                        .replace("REQUEST", isFlat ? request : "exactly: {" + request + "}");
        String rule = """
                ---
                apiVersion: resource.k8s.io/VERSION
                kind: DeviceTaintRule
                metadata: {name: worn}
                spec:
                  deviceSelector: {driver: cards.example.com, device: worn}
                  taint: {key: worn, effect: NoSchedule}
                """.replace("VERSION", server.taintRules);
        return objects.replace("VERSION", server.devices) + (server.taintRules.isEmpty() ? "" : rule);
    }

    private static List<String> expectedNotes(Server server) {
        List<String> notes = new ArrayList<>();
        if (server.isOlder()) {
            notes.add("deviceclasses.resource.k8s.io: served as resource.k8s.io/" + server.devices);
        }
        notes.add(
                server.taintRules.isEmpty()
                        ? "devicetaintrules.resource.k8s.io: not served by the API server"
                        : "devicetaintrules.resource.k8s.io: served as resource.k8s.io/" + server.taintRules);
        if (server.isOlder()) {
            notes.add("resourceclaims.resource.k8s.io: served as resource.k8s.io/" + server.devices);
            notes.add("resourceslices.resource.k8s.io: served as resource.k8s.io/" + server.devices);
        }
        return notes;
    }

    // As far as they do not depend on the time and the server's words.
    private static List<String> notes(KubernetesScheduler scheduler) {
        assertThat(scheduler.cluster().watchStatuses()).isNotEmpty();
        return scheduler.cluster().watchStatuses().stream()
                .map(WatchStatus::note)
                .flatMap(Optional::stream)
                .map(note -> note.replaceFirst("( since |, not as ).*", ""))
                .toList();
    }
}
