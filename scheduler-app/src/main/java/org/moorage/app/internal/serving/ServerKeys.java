// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import okhttp3.tls.HeldCertificate;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.process.CommandException;
import org.moorage.tls.KeyedCertificate;
import org.moorage.tls.Pem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's key and certificate: those of two files, which are read again when they change, or a self-signed pair.
 */
public final class ServerKeys extends X509ExtendedKeyManager {
    private static final Logger LOG = LoggerFactory.getLogger(ServerKeys.class);
    private static final Duration VALIDITY = Duration.ofDays(365);
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);

    private final Optional<Files> files;
    private final InstantSource clock;
    private final Supplier<Pair> first;
    private volatile @Nullable Pair pair;
    // A handshake that chose this pair before the files changed still reads its parts afterwards.
    private volatile @Nullable Pair before;
    private final AtomicReference<Instant> checked;

    /**
     * A pair, and what it was read from.
     *
     * @param number how many pairs there were before it
     */
    private record Pair(KeyedCertificate own, Pem certificate, Pem key, int number) {
        String alias() {
            return "pair-" + number;
        }
    }

    /**
     * Where they are, and the settings that say so, for messages.
     *
     * @param certSetting the setting that names the file with the certificate
     * @param certFile that file
     * @param keySetting the setting that names the file with the key
     * @param keyFile that file
     */
    public record Files(String certSetting, Path certFile, String keySetting, Path keyFile) {}

    private ServerKeys(Optional<Files> files, InstantSource clock, Supplier<Pair> first) {
        this.files = files;
        this.clock = clock;
        this.first = first;
        checked = new AtomicReference<>(clock.instant());
    }

    /**
     * Returns the keys of two files.
     *
     * @throws CommandException if they cannot be read
     */
    public static ServerKeys ofFiles(Files files, InstantSource clock) {
        try {
            Pair read = read(files, null);
            return new ServerKeys(Optional.of(files), clock, () -> read);
        } catch (IOException | GeneralSecurityException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Returns a new self-signed pair for a server of that name; created at the first handshake, because that takes a
     * while.
     */
    public static ServerKeys selfSigned(String hostName, InstantSource clock) {
        return new ServerKeys(Optional.empty(), clock, () -> selfSignedPair(hostName, clock));
    }

    private static Pair selfSignedPair(String hostName, InstantSource clock) {
        Instant now = clock.instant();
        HeldCertificate held = new HeldCertificate.Builder()
                .ecdsa256()
                .commonName(hostName + "@" + now.getEpochSecond())
                .addSubjectAlternativeName(hostName)
                .addSubjectAlternativeName("localhost")
                .addSubjectAlternativeName("127.0.0.1")
                .validityInterval(
                        now.minus(Duration.ofHours(1)).toEpochMilli(),
                        now.plus(VALIDITY).toEpochMilli())
                .build();
        return new Pair(
                new KeyedCertificate(List.of(held.certificate()), held.keyPair().getPrivate()), Pem.NONE, Pem.NONE, 0);
    }

    /** Returns the pair of the files; the known pair if they have not changed. */
    private static Pair read(Files files, @Nullable Pair known) throws IOException, GeneralSecurityException {
        Pem certificate = Pem.ofFile(files.certSetting(), files.certFile());
        Pem key = Pem.ofFile(files.keySetting(), files.keyFile());
        if (known != null && known.certificate.equals(certificate) && known.key.equals(key)) {
            return known;
        }
        return new Pair(
                KeyedCertificate.read(certificate, key), certificate, key, known == null ? 0 : known.number + 1);
    }

    // If new files cannot be used, the previous pair stays in use: the files may be written one after the other.
    private Pair current() {
        Pair known = known();
        Instant now = clock.instant();
        Instant last = checked.get();
        if (files.isEmpty() || Duration.between(last, now).compareTo(CHECK_INTERVAL) < 0) {
            return known;
        }
        // Only one thread reads: two that read different files would give their pairs the same number.
        if (!checked.compareAndSet(last, now)) {
            return known;
        }
        try {
            Pair read = read(files.get(), known);
            if (!read.equals(known)) {
                before = known;
                pair = read;
                LOG.atInfo().addKeyValue("file", files.get().certFile()).log("Loaded a new serving certificate");
            }
        } catch (IOException | GeneralSecurityException e) {
            LOG.atWarn()
                    .addKeyValue("file", files.get().certFile())
                    .addKeyValue("err", e.getMessage())
                    .log("The new serving certificate cannot be read");
        }
        return known();
    }

    private Pair known() {
        Pair known = pair;
        return known == null ? makeFirst() : known;
    }

    private synchronized Pair makeFirst() {
        Pair known = pair;
        if (known == null) {
            known = first.get();
            before = known;
            pair = known;
        }
        return known;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return chooseServerAlias(keyType, issuers, null);
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        Pair chosen = current();
        return chosen.own().key().getAlgorithm().equals(keyType) ? chosen.alias() : null;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return named(alias).own().chain().toArray(X509Certificate[]::new);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return named(alias).own().key();
    }

    private Pair named(String alias) {
        Pair last = before;
        return last != null && last.alias().equals(alias) ? last : known();
    }

    @Override
    public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return new String[] {known().alias()};
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }
}
