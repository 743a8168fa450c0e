// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import javax.net.ssl.HostnameVerifier;
import okhttp3.Authenticator;
import okhttp3.CipherSuite;
import okhttp3.ConnectionSpec;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.Route;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.runtime.MonotonicClock;

/**
 * The way to connect to an API server. Without a kubeconfig and an address, that is the server of the cluster in which
 * the program runs as a pod.
 *
 * @param kubeconfigs files with addresses and credentials; several are merged as by kubectl
 * @param master the server's address, in place of the kubeconfig's
 * @param context the context of the kubeconfigs to use, in place of the current one
 */
public record ApiConnection(List<Path> kubeconfigs, Optional<String> master, Optional<String> context) {
    /** ChaCha20 first: AES is fast only in code compiled by the JVM's C2 compiler, which comes late or never. */
    private static final ConnectionSpec CHACHA20_FIRST = new ConnectionSpec.Builder(ConnectionSpec.MODERN_TLS)
            .cipherSuites(chaCha20First(ConnectionSpec.MODERN_TLS.cipherSuites()))
            .build();

    private static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    public ApiConnection {
        kubeconfigs = List.copyOf(kubeconfigs);
    }

    /**
     * Creates a connection from the current context of several kubeconfigs.
     *
     * @param kubeconfigs files with addresses and credentials
     * @param master the server's address, in place of the kubeconfig's
     */
    public ApiConnection(List<Path> kubeconfigs, Optional<String> master) {
        this(kubeconfigs, master, Optional.empty());
    }

    /**
     * Creates a connection from the current context of at most one kubeconfig.
     *
     * @param kubeconfig a file with addresses and credentials
     * @param master the server's address, in place of the kubeconfig's
     */
    public ApiConnection(Optional<Path> kubeconfig, Optional<String> master) {
        this(kubeconfig.map(List::of).orElse(List.of()), master);
    }

    /**
     * Returns the source of the address, for messages: the files, the address itself, or the cluster that the program
     * runs in.
     */
    public String title() {
        List<String> files = kubeconfigs.stream().map(Path::toString).toList();
        return files.isEmpty()
                ? master.orElse("the cluster that this program runs in")
                : "kubeconfig " + String.join(File.pathSeparator, files)
                        + context.map(name -> ", context " + name).orElse("");
    }

    private Optional<Kubeconfig> kubeconfig() {
        return kubeconfigs.isEmpty() ? Optional.empty() : Optional.of(Kubeconfig.read(kubeconfigs, context));
    }

    /**
     * Loads the classes of the first connection and the first request on another thread. Loading them only after the
     * configuration was read would take a fifth of the startup time.
     */
    public static void loadEarly(ThreadFactory threads) {
        Thread loader = threads.newThread(() -> {
            // Loads the JSON writer.
            String ignored = JsonNodeFactory.instance.objectNode().toString();
            TlsSettings.load();
            ApiClient unused = client("", new OkHttpClient.Builder());
        });
        loader.setName("load-early");
        loader.setDaemon(true);
        loader.start();
    }

    /**
     * Creates a client for the server; sends nothing yet. Credentials and certificates are read when they are needed,
     * and again after they change.
     *
     * @throws ClusterException if the kubeconfig cannot be used, or there is none and the program does not run in a
     *     cluster
     */
    public ApiClient open() {
        return kubeconfig()
                .map(this::fromFile)
                .or(() -> master.map(ApiConnection::fromAddress))
                .orElseGet(ApiConnection::fromInside);
    }

    /**
     * A server other than the API server that accepts the same credentials, such as a scheduler's secure port.
     *
     * @param address its address
     * @param certificateAuthority the authorities that sign its certificate; empty for the kubeconfig's
     * @param skipsTlsVerify whether to skip verification of its certificate
     * @param tokenFile a token, in place of the kubeconfig's credentials
     * @param clientCertificate the client's certificate, in place of the kubeconfig's
     * @param clientKey the key of that certificate
     */
    public record OtherServer(
            String address,
            Optional<Path> certificateAuthority,
            boolean skipsTlsVerify,
            Optional<Path> tokenFile,
            Optional<Path> clientCertificate,
            Optional<Path> clientKey) {}

    /**
     * Creates a client for another server, with the kubeconfig's credentials, if there is a kubeconfig; sends nothing
     * yet.
     *
     * @throws ClusterException if the kubeconfig cannot be used
     */
    public ApiClient open(OtherServer other) {
        Optional<Kubeconfig> config = kubeconfig();
        boolean ownCertificate = other.clientCertificate().isPresent();
        TlsSettings tls = new TlsSettings(
                source(
                        "certificate authority",
                        other.certificateAuthority(),
                        config.map(Kubeconfig::certificateAuthority)),
                source("client certificate", other.clientCertificate(), config.map(Kubeconfig::clientCertificate)),
                source(
                        "client key",
                        other.clientKey(),
                        ownCertificate ? Optional.empty() : config.map(Kubeconfig::clientKey)),
                other.skipsTlsVerify(),
                "",
                MonotonicClock.system());
        CredentialSource credentials = other.tokenFile()
                .<CredentialSource>map(file -> new TokenFile(file, MonotonicClock.system()))
                .or(() -> ownCertificate
                        ? Optional.empty()
                        : config.map(known -> known.credentials(InstantSource.system(), MonotonicClock.system())))
                .orElseGet(() -> CredentialSource.fixed(Credential.NONE));
        OkHttpClient.Builder http = new OkHttpClient.Builder().addInterceptor(new Credentials(credentials, tls));
        if (other.skipsTlsVerify()) {
            http.hostnameVerifier((host, session) -> true);
        }
        return client(other.address(), http);
    }

    private static PemSource source(String setting, Optional<Path> file, Optional<PemSource> otherwise) {
        return file.map(path -> PemSource.ofFile(setting, path))
                .or(() -> otherwise)
                .orElse(PemSource.NONE);
    }

    private ApiClient fromFile(Kubeconfig config) {
        TlsSettings tls = new TlsSettings(
                config.certificateAuthority(),
                config.clientCertificate(),
                config.clientKey(),
                config.skipsTlsVerify(),
                config.tlsServerName(),
                MonotonicClock.system());
        String address = master.orElseGet(config::server);
        if (address.startsWith("https:")) {
            config.check(tls);
        }
        OkHttpClient.Builder http = new OkHttpClient.Builder()
                .addInterceptor(
                        new Credentials(config.credentials(InstantSource.system(), MonotonicClock.system()), tls));
        config.proxy().ifPresent(http::proxy);
        config.proxyAuthorization().ifPresent(user -> http.proxyAuthenticator(new ProxyUser(user)));
        if (config.skipsTlsVerify()) {
            http.hostnameVerifier((host, session) -> true);
        } else if (!config.tlsServerName().isEmpty()) {
            HostnameVerifier verifier = new OkHttpClient().hostnameVerifier();
            http.hostnameVerifier((host, session) -> verifier.verify(config.tlsServerName(), session));
        }
        return client(address, http);
    }

    /** Authenticates to a proxy, once per request; for a tunnel, before the proxy asks for it. */
    private record ProxyUser(String authorization) implements Authenticator {
        private static final String HEADER = "Proxy-Authorization";

        @Override
        public @Nullable Request authenticate(@Nullable Route route, Response response) {
            return response.request().header(HEADER) == null
                    ? response.request()
                            .newBuilder()
                            .header(HEADER, authorization)
                            .build()
                    : null;
        }
    }

    private static ApiClient fromAddress(String address) {
        TlsSettings tls =
                new TlsSettings(PemSource.NONE, PemSource.NONE, PemSource.NONE, false, "", MonotonicClock.system());
        return client(
                address,
                new OkHttpClient.Builder()
                        .addInterceptor(new Credentials(CredentialSource.fixed(Credential.NONE), tls)));
    }

    private static ApiClient fromInside() {
        String host = System.getenv("KUBERNETES_SERVICE_HOST");
        String port = System.getenv("KUBERNETES_SERVICE_PORT");
        Path token = SERVICE_ACCOUNT.resolve("token");
        if (host == null || port == null || !Files.isReadable(token)) {
            throw new ClusterException(
                    "no cluster configured: pass --kubeconfig, or set KUBECONFIG (in a pod: KUBERNETES_SERVICE_HOST,"
                            + " KUBERNETES_SERVICE_PORT and " + token + ")",
                    0,
                    null);
        }
        TlsSettings tls = new TlsSettings(
                PemSource.ofFile("service account", SERVICE_ACCOUNT.resolve("ca.crt")),
                PemSource.NONE,
                PemSource.NONE,
                false,
                "",
                MonotonicClock.system());
        String address = "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        return client(
                address,
                new OkHttpClient.Builder()
                        .addInterceptor(new Credentials(new TokenFile(token, MonotonicClock.system()), tls)));
    }

    private static ApiClient client(String address, OkHttpClient.Builder http) {
        String base = address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
        // Each request sets its own sockets. A client without a default would load all authorities of the JVM.
        TlsSettings.Sockets none = TlsSettings.trustingNobody();
        return new ApiClient(
                base,
                http.sslSocketFactory(none.factory(), none.trust())
                        .connectionSpecs(List.of(CHACHA20_FIRST, ConnectionSpec.CLEARTEXT))
                        .build());
    }

    private static CipherSuite[] chaCha20First(@Nullable List<CipherSuite> suites) {
        List<CipherSuite> sorted = new ArrayList<>(suites == null ? List.of() : suites);
        sorted.sort(Comparator.comparing(suite -> !suite.javaName().contains("CHACHA20")));
        return sorted.toArray(CipherSuite[]::new);
    }
}
