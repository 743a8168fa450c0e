// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Moorage;
import org.moorage.livetests.scene.PluginProject;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;

/**
 * A Deployment on a control plane, of a folder of {@code deploy} or a release of the chart. There is no kubelet, so a test runs itself what
 * its containers run.
 *
 * @param source its folder, or the mode of the chart
 * @param namespace its namespace
 * @param name the name of its Deployment
 * @param account its service account
 * @param scheduler the scheduler that pods name; empty if it schedules none
 */
record Deployed(String source, String namespace, String name, String account, String scheduler) {
    static final Path DEPLOY = Moorage.root().resolve("deploy");

    private JsonNode template(Scene scene) {
        String path = "/apis/apps/v1/namespaces/" + namespace + "/deployments/" + name;
        return scene.api().get(path).at("/spec/template");
    }

    /** The command line of a container, without its entry point. */
    private record Container(List<String> environment, List<String> arguments) {}

    private Container container(Scene scene, String container, Map<String, String> replaced) {
        JsonNode found = null;
        for (JsonNode each : template(scene).path("spec").path("containers")) {
            found = each.path("name").asText().equals(container) ? each : found;
        }
        assertThat(found).as("container %s of %s", container, source).isNotNull();
        Map<String, String> changes = new LinkedHashMap<>(replaced);
        List<String> environment = new ArrayList<>();
        for (JsonNode variable : found.path("env")) {
            String value = variable.path("value").asText();
            environment.add(variable.path("name").asText() + "=" + value);
            changes.put("$(" + variable.path("name").asText() + ")", value);
        }
        List<String> arguments = new ArrayList<>();
        for (JsonNode argument : found.path("args")) {
            String text = argument.asText();
            for (Map.Entry<String, String> change : changes.entrySet()) {
                text = text.replace(change.getKey(), change.getValue());
            }
            arguments.add(text);
        }
        return new Container(environment, arguments);
    }

    /**
     * Runs what a container runs, by the launcher of the image and with a plugin in its folder, as the service account.
     *
     * @param container its name
     * @param replaced what differs outside of the pod, in its arguments
     * @param more further arguments
     */
    RunningProgram run(Scene scene, String container, Map<String, String> replaced, String... more) throws IOException {
        Container found = container(scene, container, replaced);
        List<String> arguments = new ArrayList<>(found.arguments());
        arguments.add("--kubeconfig=" + kubeconfig(scene));
        arguments.addAll(List.of(more));
        return scene.start(
                container + "-" + source.replace('/', '-'),
                Moorage.launched(launcher(scene), found.environment(), arguments.toArray(String[]::new)));
    }

    /**
     * Runs the scheduler's container with its configuration: in the files of the image that the system property
     * {@code image} names, or by the launcher where there is none.
     */
    RunningProgram runScheduler(Scene scene) throws IOException {
        Path config = scene.write(source + ".yaml", config(scene, name + "-config", "scheduler.yaml"));
        String port = String.valueOf(scene.port());
        String image = System.getProperty("image", "");
        if (!image.isEmpty()) {
            return runImage(scene, Path.of(image).toAbsolutePath(), config, port);
        }
        return run(
                scene,
                "scheduler",
                Map.of("/etc/moorage/scheduler.yaml", config.toString(), "10259", port),
                "--bind-address=127.0.0.1");
    }

    private RunningProgram runImage(Scene scene, Path image, Path config, String port) {
        Container found = container(scene, "scheduler", Map.of("10259", port));
        Path authority = scene.plane().folder().resolve("certs").resolve("apiserver.crt");
        List<String> command = new ArrayList<>(List.of(
                "env",
                "JAVA_HOME=" + System.getProperty("java.home"),
                Moorage.root().resolve("packaging").resolve("run-image.sh").toString(),
                "--host-network",
                "--root",
                scene.plane().folder().resolve("image").toString(),
                "--mount",
                config + ":/etc/moorage/scheduler.yaml",
                "--mount",
                kubeconfig(scene) + ":/etc/moorage/kubeconfig",
                "--mount",
                authority + ":" + authority));
        found.environment().forEach(variable -> command.addAll(List.of("--env", variable)));
        command.add(image.toString());
        command.addAll(found.arguments());
        command.addAll(List.of("--kubeconfig=/etc/moorage/kubeconfig", "--bind-address=127.0.0.1"));
        return scene.start("image", command);
    }

    private static Path launcher(Scene scene) throws IOException {
        Path home = scene.plane().folder().resolve("image");
        Path launcher = home.resolve("bin").resolve("moorage");
        if (!Files.exists(launcher)) {
            Path jar = new PluginProject("plugins-safe").jar();
            Files.copy(jar, Files.createDirectories(home.resolve("plugins")).resolve(jar.getFileName()));
            Files.createDirectories(launcher.getParent());
            Files.copy(
                    DEPLOY.resolve("archive").resolve("bin").resolve("moorage"),
                    launcher,
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
        return launcher;
    }

    /** A pod that fits is bound, one that does not has a condition and an event, and no request was forbidden. */
    void assertSchedules(Scene scene, RunningProgram program) {
        String fits = scheduler + "-fits";
        String hopeless = scheduler + "-hopeless";
        scene.create(pod(fits, scheduler, "1m") + "---\n" + pod(hopeless, scheduler, "64"));
        String ignored = scene.awaitNode(fits);
        scene.await(
                hopeless + " is unschedulable",
                () -> scene.pod(hopeless)
                        .at("/status/conditions/0/reason")
                        .asText()
                        .equals("Unschedulable"));
        scene.await(
                "an event of " + hopeless,
                () -> scene.api().items(ApiAccess.EVENTS).stream()
                        .anyMatch(event -> event.at("/regarding/name").asText().equals(hopeless)));
        assertThat(program.log()).doesNotContainIgnoringCase("forbidden");
    }

    private static String pod(String name, String scheduler, String cpu) {
        return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {schedulerName: " + scheduler
                + ", containers: [{name: main, image: app, resources: {requests: {cpu: \"" + cpu + "\"}}}]}\n";
    }

    /** The holder of a Lease; empty if there is none. */
    static String holder(Scene scene, String namespace, String name) {
        return scene.api().items("/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases").stream()
                .filter(lease -> lease.at("/metadata/name").asText().equals(name))
                .map(lease -> lease.at("/spec/holderIdentity").asText())
                .findFirst()
                .orElse("");
    }

    /** The administrator's kubeconfig with a token of the service account in place of the administrator's. */
    Path kubeconfig(Scene scene) {
        String token = scene.plane()
                .kubectl("create", "token", account, "-n", namespace)
                .strip();
        return scene.kubeconfig(account, text -> {
            String replaced = text.replaceFirst("token: [^},\\s]+", "token: " + token);
            assertThat(replaced).isNotEqualTo(text);
            return replaced;
        });
    }

    /** A file of a ConfigMap. */
    String config(Scene scene, String configMap, String file) {
        return scene.api()
                .get("/api/v1/namespaces/" + namespace + "/configmaps/" + configMap)
                .path("data")
                .path(file)
                .asText();
    }
}
