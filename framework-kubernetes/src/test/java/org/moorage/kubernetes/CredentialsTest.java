// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.plugin.cluster.ClusterException;

/** Connections over TLS whose keys and credentials change while they are in use. */
class CredentialsTest {
    private static final Pod WEB = Pod.of(
            ObjectMeta.named("web").namespace("default").build(),
            PodSpec.builder().build());

    @TempDir
    private Path folder;

    private final TestAuthority authority = new TestAuthority("authority");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    /** The users of accepted requests: the authorization header, or the name in the certificate. */
    private final List<String> users = new CopyOnWriteArrayList<>();

    private volatile Predicate<String> letsIn = user -> true;
    private volatile SSLContext context = authority.server(authority.issue("127.0.0.1"));
    private HttpsServer server;

    @BeforeEach
    void start() throws IOException {
        server = open(0);
        Files.writeString(folder.resolve("ca.crt"), authority.pem());
    }

    private HttpsServer open(int port) throws IOException {
        HttpsServer opened = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        opened.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters tls = context.getDefaultSSLParameters();
                tls.setWantClientAuth(true);
                parameters.setSSLParameters(tls);
            }
        });
        opened.setExecutor(threads);
        opened.createContext("/", this::answer);
        opened.start();
        return opened;
    }

    /** The same server with another key, as after its certificate was replaced. */
    private void restart(SSLContext changed) throws IOException {
        int port = server.getAddress().getPort();
        server.stop(0);
        context = changed;
        server = open(port);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            String user = exchange.getRequestHeaders().getFirst("Authorization");
            if (user == null) {
                user = ((HttpsExchange) exchange)
                        .getSSLSession()
                        .getPeerPrincipal()
                        .getName();
            }
            boolean isIn = letsIn.test(user);
            users.add(user + (isIn ? "" : ": 401"));
            byte[] body = "{}".getBytes(UTF_8);
            exchange.sendResponseHeaders(isIn ? 201 : 401, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    private KubernetesCluster cluster(String clusterFields, String userFields) throws IOException {
        return cluster("127.0.0.1", clusterFields, userFields);
    }

    private KubernetesCluster cluster(String host, String clusterFields, String userFields) throws IOException {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "https://%s:%d", %s}}]
                users: [{name: u, user: {%s}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(
                        host, server.getAddress().getPort(), clusterFields, userFields));
        return new KubernetesCluster(
                new ApiConnection(Optional.of(kubeconfig), Optional.empty()).open(),
                ClusterSettings.on("host-1"),
                InstantSource.system(),
                new Random(1),
                Thread::new);
    }

    private static final String CA = "certificate-authority: ca.crt";

    @Nested
    class Tokens {
        @Test
        void ofAFileAreReadAgainWhenTheServerRejectsTheOldOne() throws IOException {
            Files.writeString(folder.resolve("token"), "old\n");
            try (KubernetesCluster cluster = cluster(CA, "tokenFile: token")) {
                cluster.bind(WEB, "n");
                Files.writeString(folder.resolve("token"), "new\n");
                letsIn = "Bearer new"::equals;
                cluster.bind(WEB, "n");
                cluster.bind(WEB, "n");
            }
            assertThat(users).containsExactly("Bearer old", "Bearer old: 401", "Bearer new", "Bearer new");
        }

        @Test
        void thatStayTheSameAreSentOnce() throws IOException {
            Files.writeString(folder.resolve("token"), "old\n");
            letsIn = user -> false;
            try (KubernetesCluster cluster = cluster(CA, "tokenFile: token")) {
                assertThatThrownBy(() -> cluster.bind(WEB, "n"))
                        .isInstanceOfSatisfying(
                                ClusterException.class,
                                failure -> assertThat(failure.httpStatus()).isEqualTo(401));
            }
            assertThat(users).containsExactly("Bearer old: 401");
        }

        @Test
        void ofACommandAreReplacedBeforeTheyExpire() throws IOException {
            // The command's first credential is past the two minutes before its expiry.
            command(Instant.now().minusSeconds(1));
            try (KubernetesCluster cluster = cluster(CA, exec())) {
                cluster.bind(WEB, "n");
                command(Instant.now().plusSeconds(3600));
                cluster.bind(WEB, "n");
                cluster.bind(WEB, "n");
            }
            assertThat(users).containsExactly("Bearer run-1", "Bearer run-2", "Bearer run-2");
        }

        record Unusable(String name, byte[] content) {
            @Override
            public String toString() {
                return name;
            }
        }

        static List<Unusable> unusable() {
            return List.of(
                    new Unusable("two lines", "new\nsecond\n".getBytes(UTF_8)),
                    new Unusable("a letter beyond ASCII", "n\u00e9w".getBytes(UTF_8)),
                    new Unusable("a control character", "ne\u0007w".getBytes(UTF_8)),
                    new Unusable("bytes that are no text", new byte[] {'n', (byte) 0xff, (byte) 0xfe}),
                    new Unusable("nothing", new byte[0]));
        }

        @ParameterizedTest
        @MethodSource("unusable")
        void ofAFileAreUsedUntilItHasAnotherThatCanBeSent(Unusable c) throws IOException {
            Path file = Files.writeString(folder.resolve("token"), "old\n");
            CapturedLog log = CapturedLog.of(TokenFile.class);
            try (KubernetesCluster cluster = cluster(CA, "tokenFile: token")) {
                cluster.bind(WEB, "n");
                Files.write(file, c.content);
                letsIn = "Bearer new"::equals;
                for (int i = 0; i < 2; i++) {
                    assertThatThrownBy(() -> cluster.bind(WEB, "n"))
                            .isInstanceOfSatisfying(
                                    ClusterException.class,
                                    refused -> assertThat(refused.httpStatus()).isEqualTo(401));
                }
                Files.writeString(file, "new\n");
                cluster.bind(WEB, "n");
            }
            assertThat(users)
                    .startsWith("Bearer old", "Bearer old: 401", "Bearer old: 401")
                    .endsWith("Bearer new");
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("token")
                    .doesNotContain("second");
        }

        @ParameterizedTest
        @MethodSource("unusable")
        void ofAFileMustBeThereAtFirst(Unusable c) throws IOException {
            Files.write(folder.resolve("token"), c.content);
            assertThatThrownBy(() -> cluster(CA, "tokenFile: token"))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("tokenFile: ")
                    .hasMessageContaining("(expected: a file with a token)")
                    .message()
                    .doesNotContain("second");
        }

        @Test
        void ofTheKubeconfigAreChecked() {
            assertThatThrownBy(() -> cluster(CA, "token: \"one\\nsecond\""))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("token: character 4 is U+000A (expected: characters of ASCII on one line)")
                    .message()
                    .doesNotContain("second");
        }

        @Test
        void ofACommandAreChecked() throws IOException {
            Files.writeString(folder.resolve("printed"), "one\\ntwo");
            Path script = folder.resolve("credential.sh");
            Files.writeString(script, """
                #!/bin/sh
                cd "$(dirname "$0")"
                printf '%s' "{\\"status\\":{\\"token\\":\\"$(cat printed)\\",\\"expirationTimestamp\\":\\"$(cat expires)\\"}}"
                """);
            assertThat(script.toFile().setExecutable(true)).isTrue();
            Files.writeString(
                    folder.resolve("expires"), Instant.now().plusSeconds(3600).toString());
            try (KubernetesCluster cluster = cluster(CA, exec())) {
                assertThatThrownBy(() -> cluster.bind(WEB, "n"))
                        .hasMessageContaining("credential command ./credential.sh: token: character 4 is U+000A")
                        .isInstanceOfSatisfying(
                                ClusterException.class,
                                failure -> assertThat(failure.outcome()).isEqualTo(ClusterException.Outcome.NOT_SENT));
                Files.writeString(folder.resolve("printed"), "good");
                cluster.bind(WEB, "n");
            }
            assertThat(users).containsExactly("Bearer good");
        }

        private void command(Instant expires) throws IOException {
            Files.writeString(folder.resolve("expires"), expires.toString());
            Path script = folder.resolve("credential.sh");
            Files.writeString(script, """
                    #!/bin/sh
                    cd "$(dirname "$0")"
                    echo x >> runs
                    echo "{\\"kind\\":\\"ExecCredential\\",\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"status\\":\\
                    {\\"token\\":\\"run-$(($(wc -l < runs)))\\",\\"expirationTimestamp\\":\\"$(cat expires)\\"}}"
                    """);
            assertThat(script.toFile().setExecutable(true)).isTrue();
        }

        private static String exec() {
            return "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./credential.sh, interactiveMode:"
                    + " Never}";
        }

        @Test
        void ofACommandThatFailsAreNamedWithWhatItSays() throws IOException {
            Path script = folder.resolve("credential.sh");
            Files.writeString(script, "#!/bin/sh\necho 'no session' >&2\nexit 3\n");
            assertThat(script.toFile().setExecutable(true)).isTrue();
            try (KubernetesCluster cluster = cluster(CA, exec())) {
                assertThatThrownBy(() -> cluster.bind(WEB, "n"))
                        .hasMessageContaining("credential command ./credential.sh: exit code 3: no session")
                        .isInstanceOfSatisfying(
                                ClusterException.class,
                                failure -> assertThat(failure.outcome()).isEqualTo(ClusterException.Outcome.NOT_SENT));
            }
        }
    }

    @Nested
    class Certificates {
        private void write(String subject) throws IOException {
            TestAuthority.Identity identity = authority.issue(subject);
            Files.writeString(folder.resolve("client.crt"), identity.certificatePem());
            Files.writeString(folder.resolve("client.key"), identity.keyPem());
        }

        @Test
        void ofTheClientAreReadAgainWhenTheServerRejectsTheOldOne() throws IOException {
            write("old");
            try (KubernetesCluster cluster = cluster(CA, "client-certificate: client.crt, client-key: client.key")) {
                cluster.bind(WEB, "n");
                write("new");
                letsIn = "CN=new"::equals;
                cluster.bind(WEB, "n");
                cluster.bind(WEB, "n");
            }
            assertThat(users).containsExactly("CN=old", "CN=old: 401", "CN=new", "CN=new");
        }

        @Test
        void ofTheAuthorityAreReadAgainWhenTheServersIsOfAnother() throws IOException {
            try (KubernetesCluster cluster = cluster(CA, "token: t")) {
                cluster.bind(WEB, "n");
                TestAuthority next = new TestAuthority("next");
                restart(next.server(next.issue("127.0.0.1")));
                Files.writeString(folder.resolve("ca.crt"), next.pem());
                cluster.delete(WEB);
            }
            assertThat(users).containsExactly("Bearer t", "Bearer t");
        }

        @Test
        void inTheKubeconfigItselfAreTaken() throws IOException {
            TestAuthority.Identity identity = authority.issue("me");
            try (KubernetesCluster cluster = cluster(
                    "certificate-authority-data: " + base64(authority.pem()),
                    "client-certificate-data: " + base64(identity.certificatePem()) + ", client-key-data: "
                            + base64(identity.keyPem()))) {
                cluster.bind(WEB, "n");
            }
            assertThat(users).containsExactly("CN=me");
        }

        private String base64(String text) {
            return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
        }

        @Test
        void ofOthersAreRefused() throws IOException {
            Files.writeString(folder.resolve("ca.crt"), new TestAuthority("other").pem());
            try (KubernetesCluster cluster = cluster(CA, "token: t")) {
                assertThatThrownBy(() -> cluster.bind(WEB, "n")).hasMessageContaining("PKIX path building failed");
            }
            assertThat(users).isEmpty();
        }

        @Test
        void areNotLookedAtIfTheKubeconfigSaysSo() throws IOException {
            try (KubernetesCluster cluster = cluster("insecure-skip-tls-verify: true", "token: t")) {
                cluster.bind(WEB, "n");
            }
            assertThat(users).containsExactly("Bearer t");
        }

        @Test
        void mayBeForAnotherNameThanThatOfTheAddress() throws IOException {
            restart(authority.server(authority.issue("kubernetes.default.svc")));
            try (KubernetesCluster cluster = cluster(CA, "token: t")) {
                assertThatThrownBy(() -> cluster.bind(WEB, "n")).hasMessageContaining("127.0.0.1 not verified");
            }
            try (KubernetesCluster cluster = cluster(CA + ", tls-server-name: kubernetes.default.svc", "token: t")) {
                cluster.bind(WEB, "n");
            }
            assertThat(users).containsExactly("Bearer t");
        }
    }

    // The last: a user whose name and password have characters that are escaped.
    @ParameterizedTest
    @CsvSource({"'', ''", "me@, bWU6", "me:secret@, bWU6c2VjcmV0", "me:a%40b%2Fc@, bWU6YUBiL2M="})
    void goThroughTheProxyOfTheKubeconfig(String user, String authorization) throws IOException {
        restart(authority.server(authority.issue("api.example.com")));
        try (ServerSocket proxy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<String> asked = new CopyOnWriteArrayList<>();
            threads.execute(() -> tunnel(proxy, asked));
            try (KubernetesCluster cluster = cluster(
                    "api.example.com",
                    CA + ", proxy-url: \"http://" + user + "127.0.0.1:" + proxy.getLocalPort() + "\"",
                    "token: t")) {
                cluster.bind(WEB, "n");
            }
            assertThat(asked.get(0))
                    .startsWith("CONNECT api.example.com:" + server.getAddress().getPort() + " HTTP/1.1\r\n");
            assertThat(asked.get(0).lines().filter(line -> line.startsWith("Proxy-Authorization")))
                    .isEqualTo(
                            authorization.isEmpty()
                                    ? List.of()
                                    : List.of("Proxy-Authorization: Basic " + authorization));
            assertThat(users).containsExactly("Bearer t");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://me:secret@127.0.0.1:3128",
                "http://me:sec%ret@127.0.0.1:3128",
                "http://me:secret@",
                "http://me:sec/ret@127.0.0.1:3128",
                "me:secret@127.0.0.1:3128",
                "socks5://me:secret@127.0.0.1:1080"
            })
    void doNotLogThePasswordOfAnUnusableProxy(String url) {
        assertThatThrownBy(() -> cluster(CA + ", proxy-url: \"" + url + "\"", "token: t"))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("proxy-url: ")
                .hasMessageContaining("(expected: ")
                .satisfies(thrown ->
                        assertThat(thrown.getMessage()).doesNotContain("sec").doesNotContain("me:"));
    }

    /** Connects one client to the server, regardless of the requested address. */
    private void tunnel(ServerSocket proxy, List<String> asked) {
        try (Socket client = proxy.accept();
                Socket target = new Socket(
                        InetAddress.getLoopbackAddress(), server.getAddress().getPort())) {
            StringBuilder head = new StringBuilder();
            while (!head.toString().endsWith("\r\n\r\n")) {
                head.append((char) client.getInputStream().read());
            }
            asked.add(head.toString());
            client.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(UTF_8));
            threads.execute(() -> copy(target, client));
            copy(client, target);
        } catch (IOException e) {
            asked.add(e.toString());
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException ended) {
            // The test is over.
        }
    }
}
