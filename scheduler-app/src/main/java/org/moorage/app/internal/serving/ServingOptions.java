// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.objects.GoDuration;
import picocli.CommandLine.Option;

/** Options for the HTTPS server and its access control, with kube-scheduler's flags and defaults. */
@OptionGroup(Heading.SERVING)
public final class ServingOptions {
    @Option(
            names = "--bind-address",
            paramLabel = "IP",
            defaultValue = "0.0.0.0",
            description = "IP address to serve HTTPS on (default: ${DEFAULT-VALUE}).")
    private String bindAddress = "0.0.0.0";

    @Option(
            names = "--secure-port",
            paramLabel = "PORT",
            defaultValue = "10259",
            description = "Port for HTTPS; 0 disables it (default: ${DEFAULT-VALUE}).")
    private int securePort = 10259;

    @Option(
            names = "--tls-cert-file",
            paramLabel = "FILE",
            description = "Server certificate (default: a generated self-signed certificate).")
    private Optional<Path> certFile = Optional.empty();

    @Option(
            names = "--tls-private-key-file",
            paramLabel = "FILE",
            description = "Private key of the server certificate.")
    private Optional<Path> keyFile = Optional.empty();

    @Option(
            names = "--tls-min-version",
            paramLabel = "VERSION",
            defaultValue = "",
            description = "Minimum TLS version: VersionTLS12 or VersionTLS13 (default: VersionTLS12).")
    private String minVersion = "";

    @Option(
            names = "--tls-cipher-suites",
            paramLabel = "NAME",
            split = ",",
            description = "Cipher suites (default: those of Java).")
    private List<String> cipherSuites = new ArrayList<>();

    @Option(
            names = "--client-ca-file",
            paramLabel = "FILE",
            description = "Certificate authorities of clients (default: those of the cluster).")
    private Optional<Path> clientCaFile = Optional.empty();

    @Option(
            names = "--authentication-kubeconfig",
            paramLabel = "FILE",
            description = "Kubeconfig of the API server that authenticates tokens (default: that of --kubeconfig).")
    private Optional<Path> authenticationKubeconfig = Optional.empty();

    @Option(
            names = "--authorization-kubeconfig",
            paramLabel = "FILE",
            description = "Kubeconfig of the API server that authorizes requests (default: that of --kubeconfig).")
    private Optional<Path> authorizationKubeconfig = Optional.empty();

    @Option(
            names = "--authentication-skip-lookup",
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "false",
            paramLabel = "BOOL",
            description = "Skip reading the cluster's certificate authorities of clients.")
    private boolean skipLookup;

    @Option(
            names = "--authentication-tolerate-lookup-failure",
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "true",
            paramLabel = "BOOL",
            description = "Start even if the cluster's certificate authorities of clients cannot be read; clients with "
                    + "certificates are anonymous then (default: ${DEFAULT-VALUE}).")
    private boolean toleratesLookupFailure = true;

    @Option(
            names = "--authentication-token-webhook-cache-ttl",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "Time to cache the result of authenticating a token (default: ${DEFAULT-VALUE}).")
    private String tokenTtl = "10s";

    @Option(
            names = "--authorization-webhook-cache-authorized-ttl",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "Time to cache a permission (default: ${DEFAULT-VALUE}).")
    private String authorizedTtl = "10s";

    @Option(
            names = "--authorization-webhook-cache-unauthorized-ttl",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "Time to cache a denial (default: ${DEFAULT-VALUE}).")
    private String unauthorizedTtl = "10s";

    @Option(
            names = "--authorization-always-allow-paths",
            paramLabel = "PATH",
            split = ",",
            defaultValue = "/healthz,/readyz,/livez",
            description = "HTTP paths that skip authorization; a trailing * matches any suffix (default: "
                    + "${DEFAULT-VALUE}).")
    private List<String> alwaysAllowPaths = new ArrayList<>();

    @Option(
            names = "--requestheader-client-ca-file",
            paramLabel = "FILE",
            description = "Certificate authorities of authenticating proxies (default: those of the cluster).")
    private Optional<Path> requestHeaderCaFile = Optional.empty();

    @Option(
            names = "--requestheader-allowed-names",
            paramLabel = "NAME",
            split = ",",
            description = "Common names of authenticating proxies (default: all).")
    private List<String> requestHeaderNames = new ArrayList<>();

    @Option(
            names = "--requestheader-username-headers",
            paramLabel = "HEADER",
            split = ",",
            defaultValue = "x-remote-user",
            description = "Headers with the user name (default: ${DEFAULT-VALUE}).")
    private List<String> userHeaders = new ArrayList<>();

    @Option(
            names = "--requestheader-group-headers",
            paramLabel = "HEADER",
            split = ",",
            defaultValue = "x-remote-group",
            description = "Headers with the groups of the user (default: ${DEFAULT-VALUE}).")
    private List<String> groupHeaders = new ArrayList<>();

    /** The address to serve on. */
    public String bindAddress() {
        return bindAddress;
    }

    /** The port to serve on; 0 for none. */
    public int securePort() {
        if (securePort < 0 || securePort > 65535) {
            throw new CommandException("--secure-port: " + securePort + " (expected: 0 to 65535)");
        }
        return securePort;
    }

    /** Returns the kubeconfig for TokenReviews; empty for that of the scheduler. */
    public Optional<Path> authenticationKubeconfig() {
        return authenticationKubeconfig;
    }

    /** Returns the kubeconfig for SubjectAccessReviews; empty for that of the scheduler. */
    public Optional<Path> authorizationKubeconfig() {
        return authorizationKubeconfig;
    }

    Optional<Path> certFile() {
        if (certFile.isPresent() != keyFile.isPresent()) {
            throw new CommandException(
                    "--tls-cert-file and --tls-private-key-file: one of them is set (expected: both or none)");
        }
        return certFile;
    }

    Optional<Path> keyFile() {
        return keyFile;
    }

    /** The versions of TLS that are spoken. */
    String[] protocols() {
        return switch (minVersion) {
            case "", "VersionTLS10", "VersionTLS11", "VersionTLS12" -> new String[] {"TLSv1.3", "TLSv1.2"};
            case "VersionTLS13" -> new String[] {"TLSv1.3"};
            default ->
                throw new CommandException(
                        "--tls-min-version: \"" + minVersion + "\" (expected: VersionTLS12 or VersionTLS13)");
        };
    }

    List<String> cipherSuites() {
        return List.copyOf(cipherSuites);
    }

    Optional<Path> clientCaFile() {
        return clientCaFile;
    }

    boolean looksUp() {
        return !skipLookup;
    }

    boolean toleratesLookupFailure() {
        return toleratesLookupFailure;
    }

    Duration tokenTtl() {
        return duration("--authentication-token-webhook-cache-ttl", tokenTtl);
    }

    Duration authorizedTtl() {
        return duration("--authorization-webhook-cache-authorized-ttl", authorizedTtl);
    }

    Duration unauthorizedTtl() {
        return duration("--authorization-webhook-cache-unauthorized-ttl", unauthorizedTtl);
    }

    private static Duration duration(String flag, String text) {
        return GoDuration.parse(text)
                .filter(duration -> !duration.isNegative())
                .orElseThrow(
                        () -> new CommandException(flag + ": \"" + text + "\" (expected: a duration such as 10s)"));
    }

    List<String> alwaysAllowPaths() {
        return List.copyOf(alwaysAllowPaths);
    }

    Optional<Path> requestHeaderCaFile() {
        return requestHeaderCaFile;
    }

    List<String> requestHeaderNames() {
        return List.copyOf(requestHeaderNames);
    }

    List<String> userHeaders() {
        return List.copyOf(userHeaders);
    }

    List<String> groupHeaders() {
        return List.copyOf(groupHeaders);
    }
}
