// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.livetests.scene.AnsweringProxy;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Tests credentials that are replaced, and become invalid, while pods are being bound. */
class CredentialFaultsTest {
    private static final String TENTH = "100m";
    private static final String ADMINISTRATORS = "system:masters";

    @TempDir
    private Path folder;

    private int batch;

    private static FaultScene withNodes(FaultReport report, String serverArguments, String users) {
        FaultScene scene =
                FaultScene.open(report, serverArguments, users.isEmpty() ? Map.of() : Map.of("USERS", users));
        scene.nodes("n", 100, "8", 110);
        return scene;
    }

    /** Creates pods each second for a while, and waits until they are bound. */
    private void bindFor(Duration time, FaultScene scene) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            String prefix = "p" + batch++ + "-";
            scene.pods(prefix, 5, TENTH);
            scene.awaitBound(prefix, 5);
            Waiting.pause(Duration.ofSeconds(1));
        }
    }

    private static Path kubeconfig(FaultScene scene, String user) throws IOException {
        String text = Files.readString(scene.plane().kubeconfig());
        return Files.writeString(
                scene.plane().folder().resolve("kubeconfig-rotated"),
                text.replace("{token: " + scene.api().token() + "}", user));
    }

    /**
     * Replaces a file atomically, as programs that write credentials do: readers see either the old or the new file.
     */
    private static void replace(Path file, String text) {
        try {
            Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"), text);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void checkWrites(FaultScene scene, FaultReport report, SchedulerProcess scheduler) {
        long failed = scheduler.inLog("Error scheduling pod|Failed to bind|Unauthorized");
        report.saw(failed + " failures in the log");
        report.holds(failed == 0, failed + " failures in the log");
        report.holds(
                scheduler.metric("scheduler_schedule_attempts_total", "result=\"error\"") == 0,
                "attempts that ended in an error");
        scene.checkInvariants(scheduler);
    }

    private static void checkRefused(FaultReport report, long refused, int replaced) {
        report.saw(replaced + " replaced, " + refused + " answers 401");
        report.holds(refused <= replaced, refused + " answers 401 for " + replaced + " credentials that were replaced");
    }

    /** Tests tokens of a service account that are valid as long as a secret exists. */
    @Test
    @Fault(value = 32, injected = "token file rotated, and the old token revoked, three times")
    void rotatedTokenFile(FaultReport report) throws IOException {
        try (FaultScene scene = withNodes(report, "", "")) {
            scene.api().create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                             "metadata": {"name": "rotated"},
                             "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
                             "subjects": [{"kind": "ServiceAccount", "name": "rotated", "namespace": "default"}]}""");
            scene.plane().kubectl("create", "serviceaccount", "rotated");
            Path token = Files.writeString(folder.resolve("token"), token(scene, 0));
            SchedulerProcess scheduler =
                    scene.start(scene.command(MOORAGE).kubeconfig(kubeconfig(scene, "{tokenFile: " + token + "}")));
            bindFor(Duration.ofSeconds(5), scene);
            int rotations = 3;
            for (int rotation = 1; rotation <= rotations; rotation++) {
                replace(token, token(scene, rotation));
                // A volume with a token is refreshed long before the old token expires.
                bindFor(Duration.ofSeconds(15), scene);
                scene.plane().kubectl("delete", "secret", "holder-" + (rotation - 1));
                // The API server caches for ten seconds that the old token was valid.
                bindFor(Duration.ofSeconds(15), scene);
            }
            checkRefused(report, refused(scene), rotations);
            long written = scene.audit().count("system:serviceaccount:default:rotated", "create", "pods/binding", 2);
            report.holds(written > 0, "the token was not used");
            checkWrites(scene, report, scheduler);
        }
    }

    /** Returns whether an event reports that the pod does not fit. */
    private static boolean isTold(FaultScene scene, String pod) {
        return scene.api().items("/apis/events.k8s.io/v1/events").stream()
                .anyMatch(event -> event.path("reason").asText().equals("FailedScheduling")
                        && event.at("/regarding/name").asText().equals(pod));
    }

    @Test
    @Fault(value = 45, injected = "a token file with two lines, other bytes, nothing for 20 s each, under load")
    void unusableTokenFile(FaultReport report) throws IOException {
        try (FaultScene scene = withNodes(report, "", "")) {
            Path token = Files.writeString(folder.resolve("token"), scene.api().token());
            SchedulerProcess scheduler =
                    scene.start(scene.command(MOORAGE).kubeconfig(kubeconfig(scene, "{tokenFile: " + token + "}")));
            bindFor(Duration.ofSeconds(5), scene);
            byte[] good = Files.readAllBytes(token);
            List<byte[]> unusable = List.of(
                    (scene.api().token() + "\nsecond-line-of-the-file\n").getBytes(UTF_8),
                    new byte[] {'t', (byte) 0xff, 7},
                    new byte[0]);
            for (int round = 0; round < unusable.size(); round++) {
                Files.write(token, unusable.get(round));
                // The file is read again every ten seconds.
                bindFor(Duration.ofSeconds(12), scene);
                String tooLarge = "large-" + round;
                scene.pods(tooLarge + "-", 1, "1000");
                Duration told = Waiting.until(() -> isTold(scene, tooLarge + "-0"));
                report.took("an event while the token cannot be read", told, Duration.ofSeconds(15));
                bindFor(Duration.ofSeconds(8), scene);
                Files.write(token, good);
                bindFor(Duration.ofSeconds(12), scene);
            }
            long warned = scheduler.inLog("Cannot read the token; the previous one remains in use");
            report.saw(warned + " lines report it");
            report.holds(warned == unusable.size(), warned + " lines report it");
            report.holds(scheduler.inLog("second-line-of-the-file") == 0, "the log has a part of the file");
            scene.pods("last-", 1, "1000");
            Duration told = Waiting.until(() -> isTold(scene, "last-0"));
            report.took("an event of a new pod afterwards", told, Duration.ofSeconds(15));
            for (int round = 0; round < unusable.size(); round++) {
                scene.api().deleteAll(List.of(FaultScene.podPath("large-" + round + "-0")));
            }
            checkWrites(scene, report, scheduler);
        }
    }

    /**
     * The old token is rejected from the moment at which the new one exists, so that each request in flight is
     * rejected, but none of them twice.
     */
    @Test
    @Fault(value = 32, injected = "token file rotated, and the old token refused at once, three times")
    void revokedToken(FaultReport report) throws IOException {
        try (FaultScene scene = withNodes(report, "", "t0 t1 t2 t3");
                AnsweringProxy proxy = scene.answeringProxy()) {
            AtomicInteger current = new AtomicInteger();
            Set<String> refused = ConcurrentHashMap.newKeySet();
            proxy.behave(exchange -> {
                int good = current.get();
                if (exchange.header("Authorization").endsWith("-t" + good)) {
                    exchange.forward();
                    return;
                }
                String request = good + " " + exchange.method() + " " + exchange.path() + "?" + exchange.query();
                if (!refused.add(request)) {
                    report.broken("refused twice: " + request);
                }
                exchange.refuse(401, "Unauthorized");
            });
            Path token = Files.writeString(folder.resolve("token"), scene.api().token() + "-t0");
            Path kubeconfig = kubeconfig(scene, "{tokenFile: " + token + "}");
            replace(
                    kubeconfig,
                    Files.readString(kubeconfig)
                            .replace(":" + scene.api().server().getPort(), ":" + proxy.port()));
            SchedulerProcess scheduler = scene.start(scene.command(MOORAGE).kubeconfig(kubeconfig));
            bindFor(Duration.ofSeconds(5), scene);
            int rotations = 3;
            for (int rotation = 1; rotation <= rotations; rotation++) {
                replace(token, scene.api().token() + "-t" + rotation);
                current.set(rotation);
                bindFor(Duration.ofSeconds(12), scene);
            }
            report.saw(rotations + " replaced, " + refused.size() + " requests under way answered 401 once");
            checkWrites(scene, report, scheduler);
        }
    }

    private static String token(FaultScene scene, int number) {
        String secret = "holder-" + number;
        scene.plane().kubectl("create", "secret", "generic", secret);
        return scene.plane()
                .kubectl("create", "token", "rotated", "--bound-object-kind=Secret", "--bound-object-name=" + secret)
                .strip();
    }

    private static long refused(FaultScene scene) {
        return scene.audit().requests().stream()
                .filter(request -> request.code() == 401)
                .count();
    }

    /**
     * The old certificate expires a minute after the new one exists; connections that were opened with it are rejected
     * then.
     */
    @Test
    @Fault(value = 32, injected = "client certificate rotated, and the old one expires")
    void rotatedCertificate(FaultReport report) throws IOException {
        openssl(
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=clients",
                "-keyout",
                "ca.key",
                "-out",
                "ca.crt");
        try (FaultScene scene = withNodes(report, "--client-ca-file=" + folder.resolve("ca.crt"), "")) {
            Instant end = Instant.now().plusSeconds(90);
            certificate("first", end);
            certificate("second", end.plus(Duration.ofHours(1)));
            Path certificate = folder.resolve("client.crt");
            Path key = folder.resolve("client.key");
            replace(certificate, Files.readString(folder.resolve("first.crt")));
            replace(key, Files.readString(folder.resolve("first.key")));
            SchedulerProcess scheduler = scene.start(scene.command(MOORAGE)
                    .kubeconfig(
                            kubeconfig(scene, "{client-certificate: " + certificate + ", client-key: " + key + "}")));
            bindFor(Duration.ofSeconds(5), scene);
            report.holds(scene.audit().count("first", "create", "pods/binding", 2) > 0, "the certificate was not used");
            replace(certificate, Files.readString(folder.resolve("second.crt")));
            replace(key, Files.readString(folder.resolve("second.key")));
            bindFor(Duration.between(Instant.now(), end.plusSeconds(20)), scene);
            report.holds(
                    scene.audit().count("second", "create", "pods/binding", 2) > 0, "the new certificate was not used");
            checkRefused(report, refused(scene), 1);
            checkWrites(scene, report, scheduler);
        }
    }

    private void certificate(String name, Instant end) throws IOException {
        DateTimeFormatter time =
                DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
        Files.writeString(folder.resolve("index"), "");
        Files.writeString(folder.resolve("index.attr"), "unique_subject = no\n");
        Files.writeString(folder.resolve("serial"), name.equals("first") ? "01\n" : "02\n");
        Path settings = Files.writeString(folder.resolve("ca.cnf"), """
                [ca]
                default_ca = own
                [own]
                database = index
                serial = serial
                new_certs_dir = .
                default_md = sha256
                policy = any
                [any]
                organizationName = optional
                commonName = supplied
                """);
        openssl(
                "req",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-subj",
                "/O=" + ADMINISTRATORS + "/CN=" + name,
                "-keyout",
                name + ".key",
                "-out",
                name + ".csr");
        openssl(
                "ca",
                "-batch",
                "-config",
                settings.toString(),
                "-cert",
                "ca.crt",
                "-keyfile",
                "ca.key",
                "-startdate",
                time.format(Instant.now().minusSeconds(60)),
                "-enddate",
                time.format(end),
                "-notext",
                "-in",
                name + ".csr",
                "-out",
                name + ".crt");
    }

    private void openssl(String... arguments) throws IOException {
        List<String> command = new java.util.ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        Path log = folder.resolve("openssl.log");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor()).as(Files.readString(log)).isZero();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Uses a command that prints a different token every half minute; the proxy rejects earlier tokens. */
    @Test
    @Fault(value = 32, injected = "exec token of 30 s, for two minutes")
    void tokenOfACommand(FaultReport report) throws IOException {
        int tokens = 12;
        StringBuilder users = new StringBuilder();
        for (int i = 0; i < tokens; i++) {
            users.append(" t").append(i);
        }
        try (FaultScene scene = withNodes(report, "", users.toString().strip());
                AnsweringProxy proxy = scene.answeringProxy()) {
            long life = 30;
            long start = Instant.now().getEpochSecond();
            AtomicInteger refused = new AtomicInteger();
            Set<String> used = ConcurrentHashMap.newKeySet();
            proxy.behave(exchange -> {
                String authorization = exchange.header("Authorization");
                long number = Long.parseLong(authorization.substring(authorization.lastIndexOf("-t") + 2));
                if (Instant.now().getEpochSecond() <= start + life * (number + 1)) {
                    used.add("t" + number);
                    exchange.forward();
                } else {
                    refused.incrementAndGet();
                    exchange.refuse(401, "Unauthorized");
                }
            });
            Path command = Files.writeString(folder.resolve("token.sh"), """
                    #!/bin/sh
                    number=$((($(date +%%s) + 5 - %1$d) / %2$d))
                    end=$(date -u -d @$((%1$d + %2$d * (number + 1))) +%%Y-%%m-%%dT%%H:%%M:%%SZ)
                    printf '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": '
                    printf '{"token": "%3$s-t%%s", "expirationTimestamp": "%%s"}}' $number $end
                    """.formatted(
                            start, life, scene.api().token()));
            Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path kubeconfig = kubeconfig(
                    scene,
                    "{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: " + command
                            + "}}");
            replace(
                    kubeconfig,
                    Files.readString(kubeconfig)
                            .replace(":" + scene.api().server().getPort(), ":" + proxy.port()));
            SchedulerProcess scheduler = scene.start(scene.command(MOORAGE).kubeconfig(kubeconfig));
            bindFor(Duration.ofMinutes(2), scene);
            report.saw("tokens used: " + new TreeSet<>(used));
            report.holds(used.size() >= 4, "only these tokens were used: " + used);
            checkRefused(report, refused.get(), used.size() - 1);
            checkWrites(scene, report, scheduler);
        }
    }
}
