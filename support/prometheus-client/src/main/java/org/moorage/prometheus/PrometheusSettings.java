// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The address of a Prometheus server, and the settings of queries.
 *
 * @param address its base URL, for example {@code http://10.0.0.4:9090}, with a path if it is served under one
 * @param timeout the timeout of a query, from its start to the end of the response
 * @param bearerToken the token to send
 * @param bearerTokenFile a file with the token to send; read for each query, since tokens are rotated
 * @param basicAuth the user and password to send
 * @param caFile a PEM file with the only authorities to trust, instead of the JVM's
 * @param insecure whether to accept any certificate
 */
public record PrometheusSettings(
        URI address,
        Duration timeout,
        Optional<String> bearerToken,
        Optional<Path> bearerTokenFile,
        Optional<BasicAuth> basicAuth,
        Optional<Path> caFile,
        boolean insecure) {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /**
     * A user and the file with the password.
     *
     * @param username the user
     * @param passwordFile a file with the password; read for each query
     */
    public record BasicAuth(String username, Path passwordFile) {}

    /**
     * Checks the settings, without connecting.
     *
     * @throws IllegalArgumentException if a setting is invalid; the message has its name, its value and the expectation
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
        if (bearerToken.isPresent() && (bearerTokenFile.isPresent() || basicAuth.isPresent())) {
            throw new IllegalArgumentException(
                    "bearerToken: set with other credentials (expected: bearerTokenFile, basicAuth or this)");
        }
        if (bearerToken.isPresent() && !bearerToken.get().matches("[!-~]+")) {
            throw new IllegalArgumentException(
                    "bearerToken: has other characters than printable ASCII (expected: a token)");
        }
        if (caFile.isPresent() && insecure) {
            throw new IllegalArgumentException(
                    "insecure: true (expected: false with a caFile, which would have no effect)");
        }
    }

    /**
     * Returns settings without authentication, with a timeout of 5 seconds.
     *
     * @throws IllegalArgumentException if the address is invalid
     */
    public static PrometheusSettings of(String address) {
        try {
            return new PrometheusSettings(
                    new URI(address),
                    TIMEOUT,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    false);
        } catch (URISyntaxException malformed) {
            throw unusable(address);
        }
    }

    private static IllegalArgumentException unusable(String address) {
        return new IllegalArgumentException(
                "address: \"" + address + "\" (expected: a URL such as http://10.0.0.4:9090)");
    }

    /** Returns these settings with another timeout. */
    public PrometheusSettings withTimeout(Duration limit) {
        return new PrometheusSettings(address, limit, bearerToken, bearerTokenFile, basicAuth, caFile, insecure);
    }

    /** Returns these settings with the given token. */
    public PrometheusSettings withBearerToken(String token) {
        return new PrometheusSettings(
                address, timeout, Optional.of(token), bearerTokenFile, basicAuth, caFile, insecure);
    }

    /** Returns these settings with the token in the given file. */
    public PrometheusSettings withBearerTokenFile(Path file) {
        return new PrometheusSettings(address, timeout, bearerToken, Optional.of(file), basicAuth, caFile, insecure);
    }

    /** Returns these settings with the given user. */
    public PrometheusSettings withBasicAuth(String username, Path passwordFile) {
        return new PrometheusSettings(
                address,
                timeout,
                bearerToken,
                bearerTokenFile,
                Optional.of(new BasicAuth(username, passwordFile)),
                caFile,
                insecure);
    }

    /** Returns these settings with only the authorities in the given file. */
    public PrometheusSettings withCaFile(Path file) {
        return new PrometheusSettings(
                address, timeout, bearerToken, bearerTokenFile, basicAuth, Optional.of(file), insecure);
    }

    /** Returns these settings with any certificate accepted. */
    public PrometheusSettings acceptingAnyCertificate() {
        return new PrometheusSettings(address, timeout, bearerToken, bearerTokenFile, basicAuth, caFile, true);
    }

    /** Returns the address and the timeout; the token is a secret. */
    @Override
    public String toString() {
        return address + " within " + timeout;
    }
}
