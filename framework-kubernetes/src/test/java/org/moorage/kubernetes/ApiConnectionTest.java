// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

class ApiConnectionTest {
    private final FakeApiServer server = FakeApiServer.start();

    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        server.close();
    }

    record Case(String name, String user, String authorization) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("a token", "{token: abc}", "Bearer abc"),
            new Case("a file with a token", "{tokenFile: FOLDER/token}", "Bearer from-file"),
            new Case("a user name and password", "{username: me, password: secret}", "Basic bWU6c2VjcmV0"),
            new Case(
                    "a credential command",
                    "{exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/cat, args: [FOLDER/credential],"
                            + " interactiveMode: Never}}",
                    "Bearer from-command"),
            new Case("no credentials", "{}", "none"));

    @ParameterizedTest
    @FieldSource("CASES")
    void sendsTheCredentialsOfTheKubeconfig(Case credentials) throws IOException, InterruptedException {
        Files.writeString(folder.resolve("token"), "from-file");
        Files.writeString(
                folder.resolve("credential"),
                "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
                        + "\"status\":{\"token\":\"from-command\"}}");
        Path kubeconfig = kubeconfig(server.address(), credentials.user.replace("FOLDER", folder.toString()));

        assertThat(authorization(new ApiConnection(Optional.of(kubeconfig), Optional.empty())))
                .isEqualTo(credentials.authorization);
    }

    @Test
    void takesAnAddressInPlaceOfTheKubeconfigs() throws IOException, InterruptedException {
        Path kubeconfig = kubeconfig("https://127.0.0.1:1", "{token: abc}");

        assertThat(authorization(new ApiConnection(Optional.of(kubeconfig), Optional.of(server.address() + "/"))))
                .isEqualTo("Bearer abc");
        assertThat(authorization(new ApiConnection(Optional.empty(), Optional.of(server.address()))))
                .isEqualTo("none");
    }

    @Test
    void mergesSeveralKubeconfigsAsKubectlDoes() throws IOException, InterruptedException {
        Path users = Files.createDirectory(folder.resolve("users"));
        Files.writeString(users.resolve("token"), "from-folder");
        Path first = Files.writeString(
                folder.resolve("first"), "clusters: [{name: c, cluster: {server: " + server.address() + "}}]\n");
        Path second = Files.writeString(users.resolve("second"), """
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
                users: [{name: u, user: {tokenFile: token}}]
                contexts: [{name: mine, context: {cluster: c, user: u}}, {name: d, context: {cluster: none}}]
                current-context: mine
                """);
        Path third = Files.writeString(folder.resolve("third"), "current-context: d\n");

        assertThat(authorization(
                        new ApiConnection(List.of(folder.resolve("missing"), first, second, third), Optional.empty())))
                .isEqualTo("Bearer from-folder");
        List<Path> missing = List.of(folder.resolve("a"), folder.resolve("b"));
        assertThatThrownBy(() -> new ApiConnection(missing, Optional.empty()).open())
                .hasMessageStartingWith(
                        "kubeconfig " + missing.get(0) + File.pathSeparator + missing.get(1) + ": no such file");
    }

    record Wrong(String name, String text, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Wrong> WRONG = List.of(
            new Wrong("something else", "- a\n- b\n", "kubeconfig "),
            new Wrong("nothing", "", "kubeconfig "),
            new Wrong("no YAML", "a: [", "kubeconfig "),
            new Wrong(
                    "a certificate that is not there",
                    user("{client-certificate: none, client-key: none}"),
                    "kubeconfig "),
            new Wrong("a token that is not there", user("{tokenFile: none}"), "kubeconfig "),
            new Wrong("no current context", "apiVersion: v1\nkind: Config\nclusters: []\n", "kubeconfig "));

    private static String user(String user) {
        return """
                clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
                users: [{name: u, user: %s}]
                contexts: [{name: c, context: {cluster: c, user: u}}]
                current-context: c
                """.formatted(user);
    }

    @ParameterizedTest
    @FieldSource("WRONG")
    void refusesAKubeconfigThatHolds(Wrong wrong) throws IOException {
        Path file = Files.writeString(folder.resolve("kubeconfig"), wrong.text);

        assertThatThrownBy(() -> new ApiConnection(Optional.of(file), Optional.empty()).open())
                .isInstanceOf(ClusterException.class)
                .hasMessageStartingWith("kubeconfig " + file)
                .hasMessageContaining("(expected: ");
    }

    @Test
    void doesNotRepeatWhatAKubeconfigHolds() throws IOException {
        Path file = Files.writeString(folder.resolve("kubeconfig"), "users: [{user: {token: secret}\n");

        assertThatThrownBy(() -> new ApiConnection(Optional.of(file), Optional.empty()).open())
                .hasMessageStartingWith("kubeconfig " + file + ":1:31: not YAML (expected: ")
                .hasMessageNotContaining("secret")
                .hasNoCause();
    }

    @Test
    void refusesAKubeconfigThatIsNotThere() {
        Path file = folder.resolve("missing");

        assertThatThrownBy(() -> new ApiConnection(Optional.of(file), Optional.empty()).open())
                .isInstanceOf(ClusterException.class)
                .hasMessageStartingWith("kubeconfig " + file + ": no such file");
    }

    @Test
    void needsSomewhereToGo() {
        assertThatThrownBy(() -> new ApiConnection(Optional.empty(), Optional.empty()).open())
                .isInstanceOf(ClusterException.class)
                .hasMessageStartingWith("no cluster configured: pass --kubeconfig, or set KUBECONFIG");
    }

    private Path kubeconfig(String address, String user) throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "%s"}}]
                users: [{name: u, user: %s}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(address, user));
    }

    private String authorization(ApiConnection connection) throws InterruptedException {
        server.on("POST", "/api/v1/namespaces/default/pods/web/binding", request -> Response.ok("{}"));
        ClusterSettings settings = ClusterSettings.on("host-1");
        try (KubernetesCluster cluster = new KubernetesCluster(
                connection.open(), settings, InstantSource.system(), new Random(1), Thread::new)) {
            cluster.bind(
                    Pod.of(
                            ObjectMeta.named("web").namespace("default").build(),
                            PodSpec.builder().build()),
                    "node-1");
        }
        return server.takeRequest().header("Authorization").orElse("none");
    }
}
