// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.app.internal.process.CommandException;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.objects.tree.ObjectTrees;
import org.moorage.tls.Pem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whose signature makes a client's certificate count: authorities of files, or the cluster's own, which the ConfigMap
 * {@code kube-system/extension-apiserver-authentication} has. Both are read again from time to time, so that new ones
 * count without a restart.
 */
final class ClientAuthorities {
    private static final Logger LOG = LoggerFactory.getLogger(ClientAuthorities.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration REFRESH = Duration.ofMinutes(1);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);
    private static final String CONFIG_MAP =
            "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";

    private final ServingOptions options;
    private final ApiRequests requests;
    private final InstantSource clock;

    @GuardedBy("this")
    private Instant read = Instant.MIN;

    @GuardedBy("this")
    private Authorities known = Authorities.NONE;

    /**
     * The trusted client authorities.
     *
     * @param clients the authorities of certificates that name users themselves
     * @param proxies the authorities of proxies whose headers name the user
     * @param proxyNames the common names of such proxies; empty for all
     * @param userHeaders the headers that name the user
     * @param groupHeaders the headers that name its groups
     */
    record Authorities(
            List<X509Certificate> clients,
            List<X509Certificate> proxies,
            List<String> proxyNames,
            List<String> userHeaders,
            List<String> groupHeaders) {
        static final Authorities NONE = new Authorities(List.of(), List.of(), List.of(), List.of(), List.of());
    }

    ClientAuthorities(ServingOptions options, ApiRequests requests, InstantSource clock) {
        this.options = options;
        this.requests = requests;
        this.clock = clock;
    }

    /**
     * Reads them for the first time.
     *
     * @throws CommandException if a file cannot be read, or the ConfigMap cannot and that is not tolerated
     */
    void load() {
        try {
            Authorities read = read();
            synchronized (this) {
                known = read;
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        } catch (ClusterException e) {
            if (!options.toleratesLookupFailure()) {
                throw e;
            }
            LOG.atWarn()
                    .addKeyValue("err", e.getMessage())
                    .log(
                            "Unable to get configmap/extension-apiserver-authentication in kube-system; client certificates won't work");
        }
    }

    Authorities current() {
        Instant now = clock.instant();
        synchronized (this) {
            if (read.plus(REFRESH).isAfter(now)) {
                return known;
            }
            // Meanwhile other threads use the authorities that are already known.
            read = now;
        }
        try {
            Authorities fresh = read();
            synchronized (this) {
                known = fresh;
            }
        } catch (IOException | GeneralSecurityException | ClusterException e) {
            LOG.atDebug().addKeyValue("err", e.getMessage()).log("Authorities of clients cannot be read again");
        }
        synchronized (this) {
            return known;
        }
    }

    private Authorities read() throws IOException, GeneralSecurityException {
        JsonNode data = JSON.createObjectNode();
        boolean needsMap = options.clientCaFile().isEmpty()
                || options.requestHeaderCaFile().isEmpty();
        if (options.looksUp() && needsMap) {
            data = requests.get("get client authorities", CONFIG_MAP, READ_TIMEOUT)
                    .<JsonNode>map(map -> ObjectTrees.of(map).path("data"))
                    .orElse(data);
        }
        synchronized (this) {
            read = clock.instant();
        }
        List<X509Certificate> clients =
                certificates("--client-ca-file", options.clientCaFile(), data, "client-ca-file");
        List<X509Certificate> proxies = certificates(
                "--requestheader-client-ca-file", options.requestHeaderCaFile(), data, "requestheader-client-ca-file");
        return options.requestHeaderCaFile().isPresent()
                ? new Authorities(
                        clients, proxies, options.requestHeaderNames(), options.userHeaders(), options.groupHeaders())
                : new Authorities(
                        clients,
                        proxies,
                        names(data.path("requestheader-allowed-names")),
                        names(data.path("requestheader-username-headers")),
                        names(data.path("requestheader-group-headers")));
    }

    private static List<X509Certificate> certificates(String flag, Optional<Path> file, JsonNode data, String key)
            throws IOException, GeneralSecurityException {
        if (file.isPresent()) {
            return Pem.ofFile(flag, file.get()).certificates();
        }
        String text = data.path(key).asText("");
        return text.isBlank()
                ? List.of()
                : new Pem("configmap/extension-apiserver-authentication: " + key, text).certificates();
    }

    // A JSON list in a text.
    private static List<String> names(JsonNode text) throws JsonProcessingException {
        List<String> names = new ArrayList<>();
        if (text.isTextual()) {
            for (JsonNode name : JSON.readTree(text.textValue())) {
                names.add(name.asText());
            }
        }
        return names;
    }
}
