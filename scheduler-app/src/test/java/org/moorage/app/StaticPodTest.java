// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.testkit.Ports;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

/**
 * Runs the command of the static pod of {@code deploy/replacement} as the user of its container, without capabilities.
 */
@Tag("any-jvm")
class StaticPodTest {
    private static final Path DEPLOY = Path.of("..", "deploy");
    private static final String KUBECONFIG = "/etc/kubernetes/scheduler.conf";
    private static final long SECONDS = 60;

    @AutoClose
    private final Ports ports = new Ports();

    @TempDir
    private Path folder;

    private Path kubeconfig;
    private String classPath;

    /** As kubeadm creates it: owned by root, and readable by no other user. */
    @BeforeEach
    void makeFiles() throws IOException {
        boolean canSwitch = "root".equals(System.getProperty("user.name")) && Files.exists(Path.of("/usr/bin/setpriv"));
        assumeTrue(canSwitch, "not run: it takes root and setpriv to run as another user");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        kubeconfig = folder.resolve("scheduler.conf");
        classPath = copied(System.getProperty("java.class.path"));
        Files.copy(
                DEPLOY.resolve("archive").resolve("bin").resolve("moorage"),
                folder.resolve("moorage"),
                StandardCopyOption.COPY_ATTRIBUTES);
    }

    // Another user has no access to the folders of the build.
    private String copied(String original) throws IOException {
        List<String> copies = new ArrayList<>();
        for (String entry : original.split(File.pathSeparator)) {
            Path from = Path.of(entry);
            Path to = folder.resolve("lib").resolve(copies.size() + "-" + from.getFileName());
            if (Files.exists(from) && !from.endsWith("test-classes")) {
                copy(from, to);
                copies.add(to.toString());
            }
        }
        return String.join(":", copies);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isRegularFile(file)) {
                    Files.createDirectories(target.getParent());
                    Files.copy(file, target);
                }
            }
        }
    }

    private void writeKubeconfig(String server) throws IOException {
        Files.writeString(kubeconfig, """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "%s"}}]
                users: [{name: u, user: {token: of-root}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(server));
        Files.setPosixFilePermissions(kubeconfig, PosixFilePermissions.fromString("rw-------"));
    }

    private static JsonNode container() throws IOException {
        return new ObjectMapper(new YAMLFactory())
                .readTree(DEPLOY.resolve("replacement")
                        .resolve("kube-scheduler.yaml")
                        .toFile())
                .at("/spec/containers/0");
    }

    /** The user of the image, which counts where a pod names none. */
    private static String userOfTheImage() throws IOException {
        Matcher user = Pattern.compile("<user>(\\d+):\\d+</user>")
                .matcher(Files.readString(Path.of("..", "packaging", "distribution", "pom.xml")));
        assertThat(user.find()).isTrue();
        return user.group(1);
    }

    private Process start(String user, Path err) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "setpriv",
                "--reuid=" + user,
                "--regid=" + user,
                "--clear-groups",
                "--bounding-set=-all",
                "--inh-caps=-all"));
        for (JsonNode argument : container().path("command")) {
            command.add(argument.asText()
                    .replace(
                            "/opt/moorage/bin/moorage",
                            folder.resolve("moorage").toString())
                    .replace(KUBECONFIG, kubeconfig.toString()));
        }
        command.add("--secure-port=" + ports.next());
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(err.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("MOORAGE_CLASSPATH", classPath);
        builder.environment().put("MOORAGE_CACHE", "");
        return builder.start();
    }

    @Test
    void theUserOfTheImageCannotReadItsKubeconfig() throws IOException, InterruptedException {
        writeKubeconfig("http://127.0.0.1:1");
        Path err = folder.resolve("err");
        Process process = start(userOfTheImage(), err);

        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(Files.readAllLines(err))
                .singleElement()
                .asString()
                .startsWith("error: ")
                .contains(kubeconfig + ": permission denied");
    }

    @Test
    void theUserOfItsContainerAsksTheApiServer() throws IOException, InterruptedException {
        FakeApiServer server = FakeApiServer.start();
        server.on("GET", "/*", request -> Response.status(503, "ServiceUnavailable", "later"));
        writeKubeconfig(server.address());
        Path err = folder.resolve("err");
        JsonNode user = container().at("/securityContext/runAsUser");
        Process process = start(user.isMissingNode() ? userOfTheImage() : user.asText(), err);
        try {
            assertThat(server.takeRequest().header("Authorization")).contains("Bearer of-root");
        } finally {
            process.destroy();
            process.waitFor(SECONDS, TimeUnit.SECONDS);
            server.close();
        }
    }
}
