// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where a Prometheus is, and how it is asked.
 *
 * @param address its base URL, for example {@code http://10.0.0.4:9090}, with a path if it is served under one
 * @param timeout how long a query may take, from its start to the end of the answer
 * @param bearerTokenFile a file with the token to send; it is read for each query, since tokens are replaced
 * @param basicAuth the user to ask as
 * @param caFile a PEM file with the only authorities to trust, in place of those that the JVM knows
 * @param insecure whether any certificate is accepted
 */
public record PrometheusSettings(
        URI address,
        Duration timeout,
        Optional<Path> bearerTokenFile,
        Optional<BasicAuth> basicAuth,
        Optional<Path> caFile,
        boolean insecure) {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /**
     * A user and where the password is.
     *
     * @param username the user
     * @param passwordFile a file with the password; it is read for each query
     */
    public record BasicAuth(String username, Path passwordFile) {}

    /**
     * Checks what can be checked without asking.
     *
     * @throws IllegalArgumentException if a setting cannot be, with its name, the value and what was expected
     */
    public PrometheusSettings {
        if (!("http".equals(address.getScheme()) || "https".equals(address.getScheme()))
                || address.getHost() == null
                || address.getQuery() != null
                || address.getFragment() != null) {
            throw unusable(address.toString());
        }
        if (address.getUserInfo() != null) {
            throw new IllegalArgumentException(
                    "address: names a user (expected: one without; there is basicAuth for it)");
        }
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout: " + timeout + " (expected: > 0)");
        }
        if (bearerTokenFile.isPresent() && basicAuth.isPresent()) {
            throw new IllegalArgumentException("bearerTokenFile and basicAuth: both are set (expected: at most one)");
        }
        if (caFile.isPresent() && insecure) {
            throw new IllegalArgumentException(
                    "insecure: true (expected: false with a caFile, which would have no effect)");
        }
    }

    /**
     * A Prometheus that is asked without authentication, for 5 seconds at most.
     *
     * @throws IllegalArgumentException if the address is none
     */
    public static PrometheusSettings of(String address) {
        try {
            return new PrometheusSettings(
                    new URI(address), TIMEOUT, Optional.empty(), Optional.empty(), Optional.empty(), false);
        } catch (URISyntaxException malformed) {
            throw unusable(address);
        }
    }

    private static IllegalArgumentException unusable(String address) {
        return new IllegalArgumentException(
                "address: \"" + address + "\" (expected: a URL such as http://10.0.0.4:9090)");
    }

    /** The same with this time limit. */
    public PrometheusSettings withTimeout(Duration limit) {
        return new PrometheusSettings(address, limit, bearerTokenFile, basicAuth, caFile, insecure);
    }

    /** The same with the token in this file. */
    public PrometheusSettings withBearerTokenFile(Path file) {
        return new PrometheusSettings(address, timeout, Optional.of(file), basicAuth, caFile, insecure);
    }

    /** The same as this user. */
    public PrometheusSettings withBasicAuth(String username, Path passwordFile) {
        return new PrometheusSettings(
                address,
                timeout,
                bearerTokenFile,
                Optional.of(new BasicAuth(username, passwordFile)),
                caFile,
                insecure);
    }

    /** The same with only the authorities in this file. */
    public PrometheusSettings withCaFile(Path file) {
        return new PrometheusSettings(address, timeout, bearerTokenFile, basicAuth, Optional.of(file), insecure);
    }

    /** The same with any certificate. */
    public PrometheusSettings acceptingAnyCertificate() {
        return new PrometheusSettings(address, timeout, bearerTokenFile, basicAuth, caFile, true);
    }
}
