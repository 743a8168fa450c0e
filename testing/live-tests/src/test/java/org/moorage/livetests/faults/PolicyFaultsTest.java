// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.PluginProject;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/**
 * Tests external servers for decisions that never complete a response, and policies that no client should be able to
 * push.
 */
class PolicyFaultsTest {
    private static final PluginProject OPA = new PluginProject("plugins-opa");
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final List<String> WAYS = List.of("stall", "trickle", "endless");
    private static final String BEGINNING = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
            """;
    /** A module whose start function does not end. */
    private static final byte[] LOOPING_MODULE = HexFormat.of()
            .parseHex("0061736d01000000" + "010401600000" + "020f0103656e76066d656d6f7279020002" + "03020100" + "080100"
                    + "0a0901070003400c000b0b");

    @Test
    @Fault(
            value = 43,
            injected =
                    "OPA, a Prometheus and extenders that stall in their bodies, send a byte in 0.1 s, answer without end")
    void answersWithoutEnd(FaultReport report) {
        try (EndlessServer server = new EndlessServer();
                FaultScene scene = FaultScene.open(report)) {
            scene.nodes("n", 3, "8", 110);
            try (SchedulerProcess scheduler = scene.start(scene.command(MOORAGE)
                    .config(BEGINNING + profiles(server.address()))
                    .flags(
                            "--plugin-dir=" + OPA.pluginDirectory(),
                            "--plugin-dir=" + new PluginProject("plugins-traffic").pluginDirectory())
                    .java("-Xmx256m"))) {
                for (String way : WAYS) {
                    bound(scene, report, "opa-ignore-" + way);
                    bound(scene, report, "traffic-" + way);
                    fails(scene, report, scheduler, "opa-fail-" + way);
                }
                scene.api().create(PODS, FaultScene.pod("plain", "0", ""));
                // Meanwhile, a pod whose attempt failed is retried.
                report.took("another", scene.awaitBound("plain", 1), LIMIT.multipliedBy(5));
                report.holds(scheduler.page("/livez").isPresent(), "/livez fails");
                for (String way : WAYS) {
                    scene.api().delete(FaultScene.podPath("opa-fail-" + way));
                }
                scene.checkInvariants(scheduler);
            }
            try (SchedulerProcess scheduler = scene.start(scene.command(MOORAGE)
                    .config(BEGINNING + extenders(server.address()))
                    .java("-Xmx256m"))) {
                scene.api().create(PODS, FaultScene.pod("extended", "0", ""));
                Duration limit = LIMIT.multipliedBy(WAYS.size()).plusSeconds(4);
                report.took("three extenders", scene.awaitBound("extended", 1), limit);
                report.holds(scheduler.program().isRunning(), "the scheduler with extenders has ended");
            }
        }
    }

    private static String profiles(String address) {
        StringBuilder profiles = new StringBuilder("profiles:\n- {schedulerName: default-scheduler}\n");
        for (String way : WAYS) {
            for (String policy : List.of("Ignore", "Fail")) {
                profiles.append(profile(
                        "opa-" + policy.toLowerCase(Locale.ROOT) + "-" + way,
                        "OpaPolicy",
                        "{mode: server, url: '" + address + "/" + way + "', timeout: " + LIMIT.toSeconds()
                                + "s, failurePolicy: " + policy + ", policies: []}"));
            }
            profiles.append(profile(
                    "traffic-" + way,
                    "NetworkTraffic",
                    "{ip: '" + address + "/" + way + "', timeout: " + LIMIT.toSeconds() + "s}"));
        }
        return profiles.toString();
    }

    private static String profile(String name, String plugin, String args) {
        return """
                - schedulerName: %1$s
                  plugins: {multiPoint: {enabled: [{name: %2$s}]}}
                  pluginConfig: [{name: %2$s, args: %3$s}]
                """.formatted(name, plugin, args);
    }

    private static String extenders(String address) {
        StringBuilder extenders = new StringBuilder("extenders:\n");
        for (String way : WAYS) {
            extenders.append("- {urlPrefix: '%s/%s', filterVerb: filter, httpTimeout: %ds, ignorable: true}\n"
                    .formatted(address, way, LIMIT.toSeconds()));
        }
        return extenders.toString();
    }

    private static void bound(FaultScene scene, FaultReport report, String profile) {
        create(scene, profile);
        // The limit includes the periodic requests to OPA and the attempts of pods that failed.
        report.took(profile, scene.awaitBound(profile, 1), LIMIT.multipliedBy(5));
    }

    private static void fails(FaultScene scene, FaultReport report, SchedulerProcess scheduler, String profile) {
        create(scene, profile);
        String failed = "default/" + profile + "\".*OPA at .*(no answer within 2000ms|an answer of more than)";
        Duration took = Waiting.until(() -> scheduler.inLog(failed) > 0);
        report.took(profile + " fails", took, LIMIT.multipliedBy(5));
        report.holds(scene.versions().bound(profile) == 0, profile + " is bound");
    }

    private static void create(FaultScene scene, String profile) {
        scene.api().create(PODS, FaultScene.pod(profile, "0", ", \"schedulerName\": \"" + profile + "\""));
    }

    @Test
    @Fault(value = 44, injected = "bundles of policies with sizes that are negative or lie, modules that do not end")
    void policiesWithoutEnd(FaultReport report) throws IOException {
        try (FaultScene scene = FaultScene.open(report)) {
            scene.nodes("n", 3, "8", 110);
            int port = scene.port();
            try (SchedulerProcess scheduler = scene.start(scene.command(MOORAGE)
                    .config(BEGINNING + "profiles:\n"
                            + profile(
                                    "default-scheduler",
                                    "OpaPolicy",
                                    "{policies: [], policyServer: {address: '127.0.0.1:" + port + "'}}"))
                    .flags("--plugin-dir=" + OPA.pluginDirectory()))) {
                long start = System.nanoTime();
                List<CompletableFuture<HttpResponse<String>>> refused = List.of(
                        push(port, "negative", bundle("-0000002000")),
                        push(port, "lies", bundle("00000100000")),
                        push(port, "more", bundle("77777777777")),
                        push(port, "looping", LOOPING_MODULE));
                scene.api().create(PODS, FaultScene.pod("meanwhile", "0", ""));
                report.took("a pod meanwhile", scene.awaitBound("meanwhile", 1), LIMIT.multipliedBy(5));

                Path shipped = OPA.file("src/main/resources/org/moorage/opa/policy.wasm");
                int status =
                        push(port, "good", Files.readAllBytes(shipped)).join().statusCode();
                report.holds(status == 200, "a good policy is answered " + status);
                report.took("a good policy in force", since(start), Duration.ofSeconds(25));
                scene.api().create(PODS, FaultScene.pod("decided", "0", ""));
                report.took("a pod that it decides about", scene.awaitBound("decided", 1), LIMIT.multipliedBy(5));

                for (CompletableFuture<HttpResponse<String>> each : refused) {
                    report.holds(each.join().statusCode() == 400, "answered " + each.join());
                }
                report.took("all refused", since(start), Duration.ofSeconds(40));
                scene.checkInvariants(scheduler);
            }
        }
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static CompletableFuture<HttpResponse<String>> push(int port, String id, byte[] policy) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/policies/" + id))
                .PUT(HttpRequest.BodyPublishers.ofByteArray(policy))
                .build();
        return HttpClient.newHttpClient().sendAsync(request, BodyHandlers.ofString());
    }

    /** Returns a bundle with one file whose header has that size. */
    private static byte[] bundle(String size) {
        byte[] head = new byte[512];
        head[0] = 'a';
        byte[] digits = size.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(digits, 0, head, 124, digits.length);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
            zip.write(head);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
