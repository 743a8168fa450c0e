// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The story of opa-kube-scheduler on a real control plane, with a real OPA and the plugin's jar: a policy is pushed and pods follow it, it
 * is changed and they follow that one, a bad one changes nothing, OPA may be restarted, and it has what the API server has, also after
 * a watch that could not go on.
 */
@Tag("live")
class LiveOpaPolicyTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration LONGEST_BUILD = Duration.ofMinutes(10);
    private static final Duration PAUSE = Duration.ofMillis(100);

    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
            profiles:
            - schedulerName: default-scheduler
              plugins:
                multiPoint: {enabled: [{name: OpaPolicy}]}
              pluginConfig:
              - name: OpaPolicy
                args:
                  mode: server
                  url: "%s"
                  policies: []
                  policyServer: {address: "%s"}
            """;

    private static final String OTHERS = """
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec: {selector: {app: web}, ports: [{port: 80}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: old}
            spec: {selector: {app: old}, ports: [{port: 80}]}
            ---
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: disk}
            spec:
              {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: fast, hostPath: {path: /x},
               claimRef: {namespace: default, name: data}}
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: data}
            spec:
              {accessModes: [ReadWriteOnce], storageClassName: fast, volumeName: disk,
               resources: {requests: {storage: 1Gi}}}
            """;

    private final HttpClient client = HttpClient.newHttpClient();

    private static Path root() {
        return Path.of(System.getProperty("basedir", ""))
                .toAbsolutePath()
                .getParent()
                .getParent();
    }

    private static Path opaBinary(Path binaries) throws IOException, InterruptedException {
        Process build = new ProcessBuilder(
                        root().resolve("testing/conformance/cluster/build.sh").toString(), "opa")
                .inheritIO()
                .start();
        assertThat(build.waitFor(LONGEST_BUILD.toMillis(), TimeUnit.MILLISECONDS) && build.exitValue() == 0)
                .as("testing/conformance/cluster/build.sh opa builds OPA")
                .isTrue();
        return binaries.resolve("opa");
    }

    private static String policy(String node) {
        return "package io.k8s.scheduler\n\nfit[node.metadata.name] := 1 if {\n\tsome node in data.nodes\n"
                + "\tnode.metadata.name == \"" + node + "\"\n}\n";
    }

    private static String pod(String name) {
        return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name
                + "}\nspec: {containers: [{name: c, image: i, resources: {requests: {cpu: 100m, memory: 64Mi}}}]}\n";
    }

    private static String node(String name) {
        return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name
                + "}\nstatus: {allocatable: {cpu: \"4\", memory: 8Gi,"
                + " pods: \"110\"}, capacity: {cpu: \"4\", memory: 8Gi, pods: \"110\"}}\n";
    }

    private HttpResponse<String> ask(String method, String url, String body) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(url))
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private static void until(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + SOON.toNanos();
        while (true) {
            try {
                if (condition.call()) {
                    return;
                }
            } catch (ConnectException notYet) {
                // Looked at again below.
            }
            assertThat(System.nanoTime()).as("time until %s", what).isLessThan(end);
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private static String nodeOf(ControlPlane plane, String pod) throws IOException {
        JsonNode read = JSON.readTree(plane.kubectl("get", "pod", pod, "-o", "json"));
        return read.path("spec").path("nodeName").asText();
    }

    private static void awaitOn(ControlPlane plane, String pod, String node) throws Exception {
        until(pod + " is on " + node, () -> !nodeOf(plane, pod).isEmpty());
        assertThat(nodeOf(plane, pod)).isEqualTo(node);
    }

    private static RunningProgram startOpa(ControlPlane plane, Path binary, int port, String log) {
        return RunningProgram.start(
                plane.folder().resolve("log").resolve(log),
                List.of(binary.toString(), "run", "--server", "--addr=127.0.0.1:" + port, "--log-level=error"));
    }

    /** The names of the objects in OPA's data, each with what its spec refers to. */
    private Map<String, String> data(String opaUrl, String resource, String field)
            throws IOException, InterruptedException {
        Map<String, String> fields = new TreeMap<>();
        JsonNode objects = JSON.readTree(
                        ask("GET", opaUrl + "/v1/data/" + resource, "").body())
                .path("result");
        for (JsonNode object : objects) {
            fields.put(
                    object.at("/metadata/name").asText(),
                    object.at("/spec" + field).asText());
        }
        return fields;
    }

    private void assertOthersAreThere(String opaUrl) throws IOException, InterruptedException {
        assertThat(data(opaUrl, "services", "/selector/app"))
                .containsEntry("web", "web")
                .containsEntry("old", "old");
        assertThat(data(opaUrl, "persistentvolumes", "/claimRef/name")).isEqualTo(Map.of("disk", "data"));
        assertThat(data(opaUrl, "persistentvolumeclaims", "/volumeName")).isEqualTo(Map.of("data", "disk"));
    }

    /**
     * What is deleted while nobody looks. An API server that has been started anew knows nothing of what was before, so that watches
     * from then on cannot go on and all is listed again.
     */
    private void assertVanishedObjectsAreGone(ControlPlane plane, RunningProgram moorage, String opaUrl)
            throws Exception {
        moorage.signal("STOP");
        plane.create(node("c"));
        plane.restartApiServer();
        plane.kubectl("delete", "service", "old");
        moorage.signal("CONT");

        until(
                "the service is gone",
                () -> !data(opaUrl, "services", "/selector/app").containsKey("old"));
        assertThat(data(opaUrl, "services", "/selector/app")).containsEntry("web", "web");
        until("the node is there", () -> data(opaUrl, "nodes", "").keySet().equals(Set.of("a", "b", "c")));
        assertThat(moorage.log())
                .containsPattern("The version of the watch has expired; listing again.*kind=\"?v1 Service");
    }

    @Test
    void podsFollowThePolicyThatIsPushed() throws Exception {
        try (ControlPlane plane = ControlPlane.start()) {
            Path binary = opaBinary(plane.binaries());
            int opaPort = RunningProgram.freePort();
            String opaUrl = "http://127.0.0.1:" + opaPort;
            String policyAddress = "127.0.0.1:" + RunningProgram.freePort();
            String example = "http://" + policyAddress + "/v1/policies/example";
            Path config = Files.writeString(
                    plane.folder().resolve("opa.yaml"), CONFIG.formatted(plane.kubeconfig(), opaUrl, policyAddress));
            plane.create(node("a") + node("b") + OTHERS);
            RunningProgram opa = startOpa(plane, binary, opaPort, "opa.log");
            try (RunningProgram moorage = RunningProgram.start(
                    plane.folder().resolve("log").resolve("moorage-opa.log"),
                    PluginProject.java(
                            List.of(),
                            "org.moorage.app.Main",
                            "--config=" + config,
                            "--plugin-dir=" + new PluginProject("plugins-opa").pluginDirectory(),
                            "--secure-port=0",
                            "--v=2"))) {
                until(
                        "the policy port answers",
                        () -> ask("GET", "http://" + policyAddress + "/v1/policies", "")
                                        .statusCode()
                                == 200);
                assertThat(ask("PUT", example, policy("a")).statusCode()).isEqualTo(200);
                plane.create(pod("first"));
                awaitOn(plane, "first", "a");
                // A pod that no node is good enough for waits, and is tried again when the policy changes.
                assertThat(ask("PUT", example, policy("nowhere")).statusCode()).isEqualTo(200);
                plane.create(pod("patient"));
                until(
                        "patient is rejected",
                        () -> plane.kubectl("get", "pod", "patient", "-o", "json")
                                .contains("no node fits by the policy /io/k8s/scheduler/fit"));
                assertThat(ask("PUT", example, policy("b")).statusCode()).isEqualTo(200);
                awaitOn(plane, "patient", "b");

                HttpResponse<String> refused = ask("PUT", example, "package io.k8s.scheduler\nfit[\n");
                assertThat(refused.statusCode()).isEqualTo(400);
                assertThat(refused.body()).contains("rego_parse_error");
                plane.create(pod("second"));
                awaitOn(plane, "second", "b");

                // What OPA is told is what the API server sent.
                JsonNode pods = JSON.readTree(
                                ask("GET", opaUrl + "/v1/data/pods", "").body())
                        .path("result");
                assertThat(pods.findValuesAsText("imagePullPolicy")).isNotEmpty();
                assertOthersAreThere(opaUrl);
                assertVanishedObjectsAreGone(plane, moorage, opaUrl);
                opa.close();
                opa = startOpa(plane, binary, opaPort, "opa-again.log");
                plane.create(pod("third"));
                awaitOn(plane, "third", "b");
                assertThat(moorage.log())
                        .contains("\"Policy is in force\" policy=\"example\"")
                        .contains("fit=\"{b=1}\"");
                assertThat(moorage.terminate()).as(moorage.log()).isZero();
            } finally {
                opa.close();
            }
        }
    }
}
