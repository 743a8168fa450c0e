// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.PluginProject;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * Tests the features of opa-kube-scheduler on a real control plane, with a real OPA and the plugin's jar: pods follow a
 * pushed policy and its changes, an invalid policy changes nothing, and OPA may be restarted. OPA has the objects of
 * the API server even after a watch could not be resumed.
 */
@Tag("live")
class LiveOpaPolicyTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            clientConnection: {kubeconfig: "%%s", qps: 1000, burst: 1000}
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

    private HttpResponse<String> ask(String method, String url, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return ApiAccess.exchange(client, request, BodyHandlers.ofString());
    }

    private static RunningProgram startOpa(Scene scene, Path binary, int port, String name) {
        return scene.start(
                name, List.of(binary.toString(), "run", "--server", "--addr=127.0.0.1:" + port, "--log-level=error"));
    }

    /** Returns the names of the objects in OPA's data, each with the object that its spec refers to. */
    private Map<String, String> data(String opaUrl, String resource, String field) {
        Map<String, String> fields = new TreeMap<>();
        JsonNode objects = ApiAccess.parse(
                        ask("GET", opaUrl + "/v1/data/" + resource, "").body())
                .path("result");
        for (JsonNode object : objects) {
            fields.put(
                    object.at("/metadata/name").asText(),
                    object.at("/spec" + field).asText());
        }
        return fields;
    }

    private void assertOthersAreThere(String opaUrl) {
        assertThat(data(opaUrl, "services", "/selector/app"))
                .containsEntry("web", "web")
                .containsEntry("old", "old");
        assertThat(data(opaUrl, "persistentvolumes", "/claimRef/name")).isEqualTo(Map.of("disk", "data"));
        assertThat(data(opaUrl, "persistentvolumeclaims", "/volumeName")).isEqualTo(Map.of("data", "disk"));
    }

    /**
     * Tests objects that are deleted while the scheduler is stopped. A restarted API server does not have the earlier
     * versions, so watches cannot be resumed and all objects are listed again.
     */
    private void assertVanishedObjectsAreGone(Scene scene, RunningProgram moorage, String opaUrl) {
        moorage.signal("STOP");
        scene.create(node("c"));
        scene.plane().restartApiServer();
        scene.api().delete("/api/v1/namespaces/default/services/old");
        moorage.signal("CONT");
        scene.await(
                "the service is gone",
                () -> !data(opaUrl, "services", "/selector/app").containsKey("old"));
        assertThat(data(opaUrl, "services", "/selector/app")).containsEntry("web", "web");
        Map<String, String> ignored = scene.await(
                "the node is there",
                () -> data(opaUrl, "nodes", ""),
                nodes -> nodes.keySet().equals(Set.of("a", "b", "c")));
        assertThat(moorage.log())
                .containsPattern("The version of the watch has expired; listing again.*kind=\"?v1 Service");
    }

    @Test
    void podsFollowThePolicyThatIsPushed() {
        try (Scene scene = Scene.open()) {
            Path binary = scene.build("opa");
            int opaPort = scene.port();
            String opaUrl = "http://127.0.0.1:" + opaPort;
            String policyAddress = "127.0.0.1:" + scene.port();
            String example = "http://" + policyAddress + "/v1/policies/example";
            scene.create(node("a") + node("b") + OTHERS);
            RunningProgram opa = startOpa(scene, binary, opaPort, "opa");
            SchedulerProcess scheduler = scene.scheduler(MOORAGE)
                    .config(CONFIG.formatted(opaUrl, policyAddress))
                    .flags("--plugin-dir=" + new PluginProject("plugins-opa").pluginDirectory())
                    .start();
            RunningProgram moorage = scheduler.program();
            // The server for policies starts before the scheduler is ready.
            scene.await("the scheduler is ready", scheduler::isReady);
            assertThat(ask("PUT", example, policy("a")).statusCode()).isEqualTo(200);
            scene.create(pod("first"));
            assertThat(scene.awaitNode("first")).isEqualTo("a");

            // A pod without a feasible node is pending, and is retried when the policy changes.
            assertThat(ask("PUT", example, policy("nowhere")).statusCode()).isEqualTo(200);
            scene.create(pod("patient"));
            JsonNode ignored = scene.await(
                    "patient is rejected",
                    () -> scene.pod("patient"),
                    pod -> pod.toString().contains("no node fits by the policy /io/k8s/scheduler/fit"));
            assertThat(ask("PUT", example, policy("b")).statusCode()).isEqualTo(200);
            assertThat(scene.awaitNode("patient")).isEqualTo("b");

            HttpResponse<String> refused = ask("PUT", example, "package io.k8s.scheduler\nfit[\n");
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).contains("rego_parse_error");
            scene.create(pod("second"));
            assertThat(scene.awaitNode("second")).isEqualTo("b");

            // OPA receives what the API server sent.
            JsonNode pods = ApiAccess.parse(
                            ask("GET", opaUrl + "/v1/data/pods", "").body())
                    .path("result");
            assertThat(pods.findValuesAsText("imagePullPolicy")).isNotEmpty();
            assertOthersAreThere(opaUrl);
            assertVanishedObjectsAreGone(scene, moorage, opaUrl);

            opa.close();
            startOpa(scene, binary, opaPort, "opa-again");
            scene.create(pod("third"));
            assertThat(scene.awaitNode("third")).isEqualTo("b");
            assertThat(moorage.log())
                    .contains("\"Policy is in force\" policy=\"example\"")
                    .contains("fit=\"{b=1}\"");
            assertThat(moorage.terminate()).as(moorage.log()).isZero();
        }
    }
}
