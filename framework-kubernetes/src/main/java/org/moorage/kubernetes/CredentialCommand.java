// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.moorage.tls.Pem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A command of a kubeconfig that prints a credential (the field {@code exec}). It runs when a credential is needed,
 * again shortly before the credential expires, and when the server rejects it.
 */
final class CredentialCommand implements CredentialSource {
    private static final Logger LOG = LoggerFactory.getLogger(CredentialCommand.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration LONGEST_RUN = Duration.ofSeconds(60);
    /** How long before its expiry a credential is replaced; a sixth of its lifetime if that is less. */
    private static final Duration BEFORE_EXPIRY = Duration.ofSeconds(10);
    /**
     * The shortest interval between runs, so that a server that rejects all credentials does not cause a run per
     * request.
     */
    private static final Duration MIN_INTERVAL = Duration.ofSeconds(5);

    private final JsonNode exec;
    private final JsonNode cluster;
    private final Path kubeconfig;
    private final InstantSource clock;
    private final InstantSource monotonicClock;

    @GuardedBy("this")
    private Credential known = Credential.NONE;

    @GuardedBy("this")
    private boolean isKnown;

    @GuardedBy("this")
    private Instant ranAt = Instant.MIN;

    /** When the credential is replaced, as time since the run. */
    @GuardedBy("this")
    private Duration life = Duration.ZERO;

    /** When the credential expires, as time since the run. */
    @GuardedBy("this")
    private Duration expiry = Duration.ZERO;

    /** Whether the last run failed. */
    @GuardedBy("this")
    private boolean isFailing;

    /**
     * Creates a command.
     *
     * @param exec the command, its arguments and its environment
     * @param cluster the cluster information to pass to the command
     * @param kubeconfig the file, whose folder the command is relative to
     * @param clock the wall clock, for the expiry time of a credential
     * @param monotonicClock the clock for the age of a credential
     */
    CredentialCommand(
            JsonNode exec, JsonNode cluster, Path kubeconfig, InstantSource clock, InstantSource monotonicClock) {
        this.exec = exec;
        this.cluster = cluster;
        this.kubeconfig = kubeconfig;
        this.clock = clock;
        this.monotonicClock = monotonicClock;
    }

    @Override
    public synchronized Credential current() throws IOException {
        if (!isKnown || age().compareTo(life) >= 0) {
            refresh();
        }
        return known;
    }

    @Override
    public synchronized Optional<Credential> other(Credential rejected) throws IOException {
        boolean mayRun = age().compareTo(MIN_INTERVAL) >= 0;
        if (known.equals(rejected) && mayRun) {
            refresh();
        }
        return known.equals(rejected) ? Optional.empty() : Optional.of(known);
    }

    @GuardedBy("this")
    private Duration age() {
        return Duration.between(ranAt, monotonicClock.instant());
    }

    // If the command fails, the previous credential stays in use until it expires.
    @GuardedBy("this")
    private void refresh() throws IOException {
        try {
            run();
            isFailing = false;
        } catch (IOException e) {
            Duration age = age();
            if (!isKnown || age.compareTo(expiry) >= 0) {
                throw e;
            }
            if (!isFailing) {
                LOG.atWarn()
                        .addKeyValue("err", ErrorText.of(e))
                        .log("Cannot renew a credential; the previous one remains in use");
            }
            isFailing = true;
            life = age.plus(MIN_INTERVAL);
        }
    }

    @GuardedBy("this")
    private void run() throws IOException {
        Path out = Files.createTempFile("credential-", ".json");
        Path err = Files.createTempFile("credential-", ".err");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command()).redirectOutput(out.toFile()).redirectError(err.toFile());
            for (JsonNode variable : exec.path("env")) {
                builder.environment()
                        .put(
                                variable.path("name").asText(),
                                variable.path("value").asText());
            }
            builder.environment().put("KUBERNETES_EXEC_INFO", info().toString());
            int code = exitCode(builder.start());
            if (code != 0) {
                String said = Files.readString(err).strip().replace('\n', ' ');
                throw new IOException(name() + ": exit code " + code + (said.isEmpty() ? "" : ": " + said));
            }
            take(JSON.readTree(Files.readAllBytes(out)).path("status"));
        } finally {
            Files.deleteIfExists(out);
            Files.deleteIfExists(err);
        }
    }

    private int exitCode(Process process) throws IOException {
        try {
            process.getOutputStream().close();
            if (process.waitFor(LONGEST_RUN.toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue();
            }
            throw new IOException(name() + ": not done within " + LONGEST_RUN.toSeconds() + "s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(name() + ": interrupted", e);
        } finally {
            process.destroyForcibly();
        }
    }

    @GuardedBy("this")
    private void take(JsonNode status) throws IOException {
        String token = status.path("token").asText("");
        Pem certificate = pem(status, "clientCertificateData");
        if (token.isEmpty() && certificate.isNone()) {
            throw new IOException(
                    name() + ": no token and no clientCertificateData in status (expected: an ExecCredential)");
        }
        Duration left = expiry(status.path("expirationTimestamp").asText(""));
        known = new Credential(bearer(token).authorization(), certificate, pem(status, "clientKeyData"));
        isKnown = true;
        ranAt = monotonicClock.instant();
        expiry = left;
        Duration sixth = expiry.dividedBy(6);
        life = expiry.minus(sixth.compareTo(BEFORE_EXPIRY) < 0 ? sixth : BEFORE_EXPIRY);
    }

    private Credential bearer(String token) throws IOException {
        try {
            return Credential.bearer(token);
        } catch (IOException e) {
            throw new IOException(name() + ": " + e.getMessage(), e);
        }
    }

    private Pem pem(JsonNode status, String field) {
        String text = status.path(field).asText("");
        return text.isEmpty() ? Pem.NONE : new Pem(name() + ": " + field, text);
    }

    private Duration expiry(String expiration) throws IOException {
        if (expiration.isEmpty()) {
            return Duration.ofNanos(Long.MAX_VALUE);
        }
        try {
            Duration left = Duration.between(clock.instant(), Instant.parse(expiration));
            return left.isNegative() ? Duration.ZERO : left;
        } catch (DateTimeException e) {
            throw new IOException(name() + ": expirationTimestamp: " + expiration + " (expected: a time)", e);
        }
    }

    private List<String> command() {
        List<String> command = new ArrayList<>();
        String program = exec.path("command").asText("");
        // As in kubectl, a name without a folder is looked up on the PATH.
        command.add(program.contains("/") ? kubeconfig.resolveSibling(program).toString() : program);
        exec.path("args").forEach(argument -> command.add(argument.asText()));
        return command;
    }

    private String name() {
        return "credential command " + exec.path("command").asText("");
    }

    private ObjectNode info() {
        ObjectNode info = JsonNodeFactory.instance.objectNode();
        info.put("apiVersion", exec.path("apiVersion").asText("client.authentication.k8s.io/v1"));
        info.put("kind", "ExecCredential");
        ObjectNode spec = info.putObject("spec").put("interactive", false);
        if (exec.path("provideClusterInfo").asBoolean()) {
            spec.set("cluster", cluster);
        }
        return info;
    }
}
