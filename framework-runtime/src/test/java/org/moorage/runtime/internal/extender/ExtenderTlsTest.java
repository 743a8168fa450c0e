// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.plugin.Problems;
import org.moorage.config.ExtenderConfig;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.Samples;
import org.moorage.runtime.internal.cache.ClusterSnapshot;
import org.moorage.runtime.internal.log.Listeners;

/** Tests trust and client identity over HTTPS. The server's certificate is self-signed, for 127.0.0.1 and a name. */
@Timeout(120)
class ExtenderTlsTest {
    private static final char[] PASSWORD = "password".toCharArray();
    private static final ExtenderConfig.Tls NOTHING = new ExtenderConfig.Tls(false, "", "", "", "", "", "", "");

    @TempDir
    static Path folder;

    private static SSLContext context;
    private static Pem server;
    private static Pem client;
    private static Pem other;

    /** A certificate and its key, in files. */
    record Pem(Path certificate, Path key, KeyStore store) {}

    @BeforeAll
    static void makeCertificates() throws Exception {
        server = pem("server", "san=ip:127.0.0.1,dns:*.extender.example");
        client = pem("client", "san=dns:scheduler.example");
        other = pem("other", "san=ip:127.0.0.1");
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(server.store, PASSWORD);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("client", client.store.getCertificate("client"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    }

    private static Pem pem(String name, String names) throws Exception {
        Path file = folder.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        names,
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        new String(PASSWORD),
                        "-validity",
                        "2")
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS) && keytool.exitValue() == 0)
                .as(output)
                .isTrue();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream input = Files.newInputStream(file)) {
            store.load(input, PASSWORD);
        }
        Path certificate = folder.resolve(name + ".crt");
        Path key = folder.resolve(name + ".key");
        Files.writeString(
                certificate, pem("CERTIFICATE", store.getCertificate(name).getEncoded()));
        Files.writeString(key, pem("PRIVATE KEY", store.getKey(name, PASSWORD).getEncoded()));
        return new Pem(certificate, key, store);
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + what
                + "-----\n";
    }

    private static String base64(Path file) {
        try {
            return Base64.getEncoder().encodeToString(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static ExtenderConfig config(String address, boolean enableHttps, ExtenderConfig.Tls tls) {
        return new ExtenderConfig(
                address,
                "",
                "",
                "",
                0,
                "bind",
                enableHttps,
                tls.equals(NOTHING) ? Optional.empty() : Optional.of(tls),
                Duration.ofSeconds(20),
                true,
                List.of(),
                false);
    }

    /** The settings, created after the certificates. */
    interface Settings {
        ExtenderConfig.Tls make();
    }

    record Case(String name, boolean wantsCertificate, boolean enableHttps, Settings tls, boolean trusted) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("enableHTTPS without certificates trusts any", false, true, () -> NOTHING, true),
            new Case("no settings trust only known authorities", false, false, () -> NOTHING, false),
            new Case("insecure trusts any", false, false, () -> tls(true, "", "", "", "", ""), true),
            new Case(
                    "a file of authorities",
                    false,
                    true,
                    () -> tls(false, "", "", "", server.certificate.toString(), ""),
                    true),
            new Case(
                    "data of authorities, which count more than a file",
                    false,
                    true,
                    () -> tls(false, "", "", "", other.certificate.toString(), base64(server.certificate)),
                    true),
            new Case(
                    "other authorities",
                    false,
                    true,
                    () -> tls(false, "", "", "", other.certificate.toString(), ""),
                    false),
            new Case(
                    "a name that the certificate has",
                    false,
                    true,
                    () -> tls(false, "one.extender.example", "", "", server.certificate.toString(), ""),
                    true),
            new Case(
                    "a name that the certificate does not have",
                    false,
                    true,
                    () -> tls(false, "extender.example", "", "", server.certificate.toString(), ""),
                    false),
            new Case(
                    "a certificate of ours in files",
                    true,
                    true,
                    () -> tls(false, "", client.certificate.toString(), client.key.toString(), "", ""),
                    true),
            new Case(
                    "a certificate of ours as data",
                    true,
                    true,
                    () -> new ExtenderConfig.Tls(
                            false,
                            "",
                            "",
                            "",
                            server.certificate.toString(),
                            base64(client.certificate),
                            base64(client.key),
                            ""),
                    true),
            new Case("no certificate of ours where one is wanted", true, true, () -> NOTHING, false));

    private static ExtenderConfig.Tls tls(
            boolean insecure, String serverName, String certFile, String keyFile, String caFile, String caData) {
        return new ExtenderConfig.Tls(insecure, serverName, certFile, keyFile, caFile, "", "", caData);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void decidesWhomToTrust(Case given) throws IOException {
        try (ExtenderServer extender =
                ExtenderServer.secured(context, given.wantsCertificate, ExtenderServer.with("{}"))) {
            Problems problems = Problems.collector();
            Extenders extenders = Extenders.of(
                    List.of(config(extender.address(), given.enableHttps, given.tls.make())),
                    ClusterSnapshot::new,
                    MonotonicClock.system(),
                    Listeners.NONE,
                    problems);

            assertThat(problems.all()).isEmpty();
            if (given.trusted) {
                assertThat(extenders.bind(Samples.pod("p"), "a")).isTrue();
            } else {
                assertThatThrownBy(() -> extenders.bind(Samples.pod("p"), "a"))
                        .isInstanceOf(ExtenderException.class)
                        .hasMessageStartingWith("Post \"" + extender.address() + "/bind\": ");
            }
        }
    }

    record Unusable(String name, Settings tls, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Unusable> UNUSABLE = List.of(
            new Unusable(
                    "no file of authorities",
                    () -> tls(false, "", "", "", "/nowhere/ca.crt", ""),
                    "tlsConfig.caFile: \"/nowhere/ca.crt\": no such file (expected: a readable file)"),
            new Unusable(
                    "data that are no certificates",
                    () -> tls(false, "", "", "", "", "bm9uZQ=="),
                    "tlsConfig.caData: not usable (expected: certificates in PEM)"),
            new Unusable(
                    "a certificate in place of a key",
                    () -> tls(false, "", client.certificate.toString(), client.certificate.toString(), "", ""),
                    "(expected: a private key in PEM)"));

    @ParameterizedTest
    @FieldSource("UNUSABLE")
    void reportsFilesThatCannotBeUsed(Unusable given) {
        Problems problems = Problems.collector();
        Extenders ignored = Extenders.of(
                List.of(config("https://127.0.0.1:1", true, given.tls.make())),
                ClusterSnapshot::new,
                MonotonicClock.system(),
                Listeners.NONE,
                problems);

        assertThat(problems.all())
                .singleElement()
                .asString()
                .contains("extenders[https://127.0.0.1:1].tlsConfig.", given.message);
    }
}
