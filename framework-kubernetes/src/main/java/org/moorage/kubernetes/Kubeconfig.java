// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import org.moorage.api.plugin.ClusterException;
import org.moorage.objects.TextFile;
import org.moorage.objects.internal.ManifestYamlFactory;
import org.moorage.tls.Pem;

/** The current context of a kubeconfig. Paths in it are relative to its folder. */
final class Kubeconfig {
    private static final String EXPECTED = " (expected: a kubeconfig whose current context names a server)";

    private final Path file;
    private final JsonNode cluster;
    private final JsonNode user;

    private Kubeconfig(Path file, JsonNode cluster, JsonNode user) {
        this.file = file;
        this.cluster = cluster;
        this.user = user;
    }

    /**
     * Reads a kubeconfig.
     *
     * @throws ClusterException if it cannot be read, or its current context is not complete
     */
    static Kubeconfig read(Path file) {
        JsonNode root;
        try {
            root = ManifestYamlFactory.mapper().readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            // Its message quotes the text, which may hold a token.
            JsonLocation place = e.getLocation();
            String at = place == null ? "" : ":" + place.getLineNr() + ":" + place.getColumnNr();
            throw new ClusterException("kubeconfig " + file + at + ": not YAML" + EXPECTED, 0, null);
        } catch (IOException e) {
            throw new ClusterException("kubeconfig " + file + ": " + TextFile.fault(e) + EXPECTED, 0, e);
        }
        String current = root.path("current-context").asText("");
        JsonNode context = named(file, root, "contexts", "context", current);
        JsonNode cluster =
                named(file, root, "clusters", "cluster", context.path("cluster").asText(""));
        String userName = context.path("user").asText("");
        return new Kubeconfig(
                file,
                cluster,
                userName.isEmpty() ? MissingNode.getInstance() : named(file, root, "users", "user", userName));
    }

    private static JsonNode named(Path file, JsonNode root, String list, String part, String name) {
        for (JsonNode entry : root.path(list)) {
            if (entry.path("name").asText("").equals(name) && !name.isEmpty()) {
                return entry.path(part);
            }
        }
        throw new ClusterException(
                "kubeconfig " + file + ": " + list + ": none is named \"" + name + "\"" + EXPECTED, 0, null);
    }

    String server() {
        String server = cluster.path("server").asText("");
        if (server.isEmpty()) {
            throw wrong("server", server, "an address such as https://127.0.0.1:6443");
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
        return pem(cluster, "certificate-authority");
    }

    PemSource clientCertificate() {
        return pem(user, "client-certificate");
    }

    PemSource clientKey() {
        return pem(user, "client-key");
    }

    private PemSource pem(JsonNode section, String field) {
        String data = section.path(field + "-data").asText("");
        if (!data.isEmpty()) {
            try {
                return PemSource.of(
                        Pem.of(field + "-data", Base64.getMimeDecoder().decode(data)));
            } catch (IllegalArgumentException e) {
                throw wrong(field + "-data", "…", "base64");
            }
        }
        String path = section.path(field).asText("");
        return path.isEmpty() ? PemSource.NONE : PemSource.ofFile(field, resolve(path));
    }

    /** The proxy; empty if there is none, and the JVM's settings apply. */
    Optional<Proxy> proxy() {
        String url = cluster.path("proxy-url").asText("");
        if (url.isEmpty()) {
            return Optional.empty();
        }
        URI address = proxyAddress(url);
        Proxy.Type type = switch (String.valueOf(address.getScheme())) {
            case "http" -> Proxy.Type.HTTP;
            case "socks5" -> Proxy.Type.SOCKS;
            default -> throw wrong("proxy-url", withoutUser(url), "http:// or socks5://");
        };
        if (address.getHost() == null) {
            throw wrong("proxy-url", withoutUser(url), "such as http://proxy.example.com:3128");
        }
        if (type == Proxy.Type.SOCKS && address.getUserInfo() != null) {
            throw wrong("proxy-url", withoutUser(url), "no user, which only a proxy of http:// is told");
        }
        int defaultPort = type == Proxy.Type.HTTP ? 80 : 1080;
        int port = address.getPort() < 0 ? defaultPort : address.getPort();
        return Optional.of(new Proxy(type, InetSocketAddress.createUnresolved(address.getHost(), port)));
    }

    /** What the proxy is told of the user in its address, as {@code Proxy-Authorization}; empty if the address has none. */
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
            throw wrong("proxy-url", withoutUser(url), "such as http://proxy.example.com:3128");
        }
    }

    // Also of what is no URL, so all up to the last @ but the scheme.
    private static String withoutUser(String url) {
        return url.replaceFirst("(?s)^([A-Za-z0-9+.-]*://)?.*@", "$1…@");
    }

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    /** Who the user is. */
    CredentialSource credentials(InstantSource clock) {
        String tokenFile = user.path("tokenFile").asText("");
        if (!tokenFile.isEmpty()) {
            return checked(new TokenFile(resolve(tokenFile)));
        }
        String token = user.path("token").asText("");
        if (!token.isEmpty()) {
            return CredentialSource.fixed(bearer(token));
        }
        if (user.has("exec")) {
            return new CredentialCommand(user.path("exec"), cluster, file.toAbsolutePath(), clock);
        }
        String name = user.path("username").asText("");
        if (!name.isEmpty()) {
            String pair = name + ":" + user.path("password").asText("");
            return CredentialSource.fixed(Credential.header(basic(pair)));
        }
        if (user.has("auth-provider")) {
            throw wrong("auth-provider", user.path("auth-provider").path("name").asText(""), "exec in its place");
        }
        return CredentialSource.fixed(Credential.NONE);
    }

    private Credential bearer(String token) {
        try {
            return Credential.bearer(token);
        } catch (IOException e) {
            throw new ClusterException("kubeconfig " + file + ": " + e.getMessage(), 0, e);
        }
    }

    // A file that is not there now is a mistake; one that is not there later may be about to be replaced.
    private TokenFile checked(TokenFile token) {
        try {
            token.current();
            return token;
        } catch (IOException e) {
            throw new ClusterException(
                    "kubeconfig " + file + ": tokenFile: " + ErrorText.of(e) + " (expected: a file with a token)",
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
            throw new ClusterException("kubeconfig " + file + ": " + e.getMessage() + " (expected: PEM)", 0, e);
        }
    }

    private Path resolve(String path) {
        return file.toAbsolutePath().resolveSibling(path);
    }

    private ClusterException wrong(String field, String seen, String expected) {
        return new ClusterException(
                "kubeconfig " + file + ": " + field + ": " + seen + " (expected: " + expected + ")", 0, null);
    }
}
