// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.objects.TextFile;
import org.moorage.objects.tree.ManifestYamlFactory;
import org.moorage.tls.Pem;

/** The current context of a kubeconfig, which may be in several files. Paths in each are relative to its folder. */
final class Kubeconfig {
    private static final String EXPECTED = " (expected: a kubeconfig whose current context names a server)";

    private final JsonNode cluster;
    private final Path clusterFile;
    private final JsonNode user;
    private final Path userFile;

    /** A file and its content. */
    private record Source(Path file, JsonNode root) {}

    /** An entry of a list, and the file that contains it. */
    private record Named(Path file, JsonNode value) {}

    private Kubeconfig(Named cluster, Named user) {
        this.cluster = cluster.value;
        this.clusterFile = cluster.file;
        this.user = user.value;
        this.userFile = user.file;
    }

    /**
     * Reads a kubeconfig.
     *
     * @throws ClusterException if it cannot be read, or its current context is not complete
     */
    static Kubeconfig read(Path file) {
        return read(List.of(file), Optional.empty());
    }

    /**
     * Reads a kubeconfig as kubectl does: of several files, missing ones are skipped; the first file with a current
     * context sets it, and the first entry of a name wins.
     *
     * @param files at least one
     * @param context the context to use instead of the current one
     * @throws ClusterException if one cannot be read, none exists, or the context is missing or incomplete
     */
    static Kubeconfig read(List<Path> files, Optional<String> context) {
        List<Source> sources = new ArrayList<>();
        for (Path file : files) {
            if (files.size() == 1 || Files.exists(file)) {
                sources.add(new Source(file, root(file)));
            }
        }
        if (sources.isEmpty()) {
            throw new ClusterException("kubeconfig " + shown(files) + ": no such file" + EXPECTED, 0, null);
        }
        String name = context.or(() -> sources.stream()
                        .map(source -> source.root.path("current-context").asText(""))
                        .filter(current -> !current.isEmpty())
                        .findFirst())
                .orElse("");
        JsonNode used = named(sources, "contexts", "context", name).value;
        Named cluster =
                named(sources, "clusters", "cluster", used.path("cluster").asText(""));
        String user = used.path("user").asText("");
        return new Kubeconfig(
                cluster,
                user.isEmpty()
                        ? new Named(cluster.file, MissingNode.getInstance())
                        : named(sources, "users", "user", user));
    }

    private static JsonNode root(Path file) {
        try {
            return ManifestYamlFactory.mapper().readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            // The exception's message quotes the text, which may contain a token.
            JsonLocation place = e.getLocation();
            String at = place == null ? "" : ":" + place.getLineNr() + ":" + place.getColumnNr();
            throw new ClusterException("kubeconfig " + file + at + ": not YAML" + EXPECTED, 0, null);
        } catch (IOException e) {
            throw new ClusterException("kubeconfig " + file + ": " + TextFile.fault(e) + EXPECTED, 0, e);
        }
    }

    private static Named named(List<Source> sources, String list, String part, String name) {
        for (Source source : sources) {
            for (JsonNode entry : source.root.path(list)) {
                if (entry.path("name").asText("").equals(name) && !name.isEmpty()) {
                    return new Named(source.file, entry.path(part));
                }
            }
        }
        String files = shown(sources.stream().map(Source::file).toList());
        throw new ClusterException(
                "kubeconfig " + files + ": " + list + ": none is named \"" + name + "\"" + EXPECTED, 0, null);
    }

    private static String shown(List<Path> files) {
        return String.join(
                File.pathSeparator, files.stream().map(Path::toString).toList());
    }

    String server() {
        String server = cluster.path("server").asText("");
        if (server.isEmpty()) {
            throw wrong(clusterFile, "server", server, "an address such as https://127.0.0.1:6443");
        }
        return server;
    }

    String tlsServerName() {
        return cluster.path("tls-server-name").asText("");
    }

    boolean skipsTlsVerify() {
        return cluster.path("insecure-skip-tls-verify").asBoolean();
    }

    PemSource certificateAuthority() {
        return pem(clusterFile, cluster, "certificate-authority");
    }

    PemSource clientCertificate() {
        return pem(userFile, user, "client-certificate");
    }

    PemSource clientKey() {
        return pem(userFile, user, "client-key");
    }

    private static PemSource pem(Path file, JsonNode section, String field) {
        String data = section.path(field + "-data").asText("");
        if (!data.isEmpty()) {
            try {
                return PemSource.of(
                        Pem.of(field + "-data", Base64.getMimeDecoder().decode(data)));
            } catch (IllegalArgumentException e) {
                throw wrong(file, field + "-data", "…", "base64");
            }
        }
        String path = section.path(field).asText("");
        return path.isEmpty() ? PemSource.NONE : PemSource.ofFile(field, resolve(file, path));
    }

    /** Returns the proxy; empty if there is none, in which case the JVM's settings apply. */
    Optional<Proxy> proxy() {
        String url = cluster.path("proxy-url").asText("");
        if (url.isEmpty()) {
            return Optional.empty();
        }
        URI address = proxyAddress(url);
        Proxy.Type type = switch (String.valueOf(address.getScheme())) {
            case "http" -> Proxy.Type.HTTP;
            case "socks5" -> Proxy.Type.SOCKS;
            default -> throw wrong(clusterFile, "proxy-url", withoutUser(url), "http:// or socks5://");
        };
        if (address.getHost() == null) {
            throw wrong(clusterFile, "proxy-url", withoutUser(url), "such as http://proxy.example.com:3128");
        }
        if (type == Proxy.Type.SOCKS && address.getUserInfo() != null) {
            throw wrong(clusterFile, "proxy-url", withoutUser(url), "no user, which only a proxy of http:// accepts");
        }
        int defaultPort = type == Proxy.Type.HTTP ? 80 : 1080;
        int port = address.getPort() < 0 ? defaultPort : address.getPort();
        return Optional.of(new Proxy(type, InetSocketAddress.createUnresolved(address.getHost(), port)));
    }

    /**
     * Returns the {@code Proxy-Authorization} header for the user in the proxy's address; empty if the address has
     * none.
     */
    Optional<String> proxyAuthorization() {
        String url = cluster.path("proxy-url").asText("");
        return url.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable(proxyAddress(url).getUserInfo())
                        .map(pair -> basic(pair.contains(":") ? pair : pair + ":"));
    }

    private URI proxyAddress(String url) {
        try {
            return URI.create(url);
        } catch (IllegalArgumentException e) {
            throw wrong(clusterFile, "proxy-url", withoutUser(url), "such as http://proxy.example.com:3128");
        }
    }

    // Also for invalid URLs: removes everything up to the last @ except the scheme.
    private static String withoutUser(String url) {
        return url.replaceFirst("(?s)^([A-Za-z0-9+.-]*://)?.*@", "$1…@");
    }

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the credentials of the user. */
    CredentialSource credentials(InstantSource clock, InstantSource monotonicClock) {
        String tokenFile = user.path("tokenFile").asText("");
        if (!tokenFile.isEmpty()) {
            return checked(new TokenFile(resolve(userFile, tokenFile), monotonicClock));
        }
        String token = user.path("token").asText("");
        if (!token.isEmpty()) {
            return CredentialSource.fixed(bearer(token));
        }
        if (user.has("exec")) {
            return new CredentialCommand(user.path("exec"), cluster, userFile.toAbsolutePath(), clock, monotonicClock);
        }
        String name = user.path("username").asText("");
        if (!name.isEmpty()) {
            String pair = name + ":" + user.path("password").asText("");
            return CredentialSource.fixed(Credential.header(basic(pair)));
        }
        if (user.has("auth-provider")) {
            throw wrong(
                    userFile,
                    "auth-provider",
                    user.path("auth-provider").path("name").asText(""),
                    "exec in its place");
        }
        return CredentialSource.fixed(Credential.NONE);
    }

    private Credential bearer(String token) {
        try {
            return Credential.bearer(token);
        } catch (IOException e) {
            throw new ClusterException("kubeconfig " + userFile + ": " + e.getMessage(), 0, e);
        }
    }

    // A missing file at startup is an error; a file that is missing later may be about to be replaced.
    private TokenFile checked(TokenFile token) {
        try {
            token.current();
            return token;
        } catch (IOException e) {
            throw new ClusterException(
                    "kubeconfig " + userFile + ": tokenFile: " + ErrorText.of(e) + " (expected: a file with a token)",
                    0,
                    e);
        }
    }

    /**
     * Reads the certificates for the first time.
     *
     * @throws ClusterException if they cannot be used
     */
    void check(TlsSettings tls) {
        try {
            tls.current(Credential.NONE);
        } catch (IOException e) {
            throw new ClusterException("kubeconfig " + clusterFile + ": " + e.getMessage() + " (expected: PEM)", 0, e);
        }
    }

    private static Path resolve(Path file, String path) {
        return file.toAbsolutePath().resolveSibling(path);
    }

    private static ClusterException wrong(Path file, String field, String seen, String expected) {
        return new ClusterException(
                "kubeconfig " + file + ": " + field + ": " + seen + " (expected: " + expected + ")", 0, null);
    }
}
