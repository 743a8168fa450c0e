// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.serving;

import java.io.IOException;
import java.io.Reader;
import java.math.BigInteger;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMException;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;
import org.moorage.app.command.CommandException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's key and certificate: those of two files, which are read again when they change, or a self-signed pair. */
final class ServerKeys extends X509ExtendedKeyManager {
    private static final Logger LOG = LoggerFactory.getLogger(ServerKeys.class);
    private static final Duration VALIDITY = Duration.ofDays(365);
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);

    private final Optional<Path> certFile;
    private final Optional<Path> keyFile;
    private final InstantSource clock;
    private volatile Pair pair;
    // A handshake that chose it before the files changed asks for its parts afterwards.
    private volatile Pair before;
    private volatile Instant checked;

    /** A key with its certificates, and the times at which their files were changed. */
    private record Pair(PrivateKey key, List<X509Certificate> chain, List<FileTime> changed) {
        String alias() {
            return chain.get(0).getSerialNumber() + " " + changed;
        }
    }

    private ServerKeys(Optional<Path> certFile, Optional<Path> keyFile, InstantSource clock, Pair pair) {
        this.certFile = certFile;
        this.keyFile = keyFile;
        this.clock = clock;
        this.pair = pair;
        before = pair;
        checked = clock.instant();
    }

    /**
     * Those of two files.
     *
     * @throws CommandException if they cannot be read
     */
    static ServerKeys ofFiles(Path certFile, Path keyFile, InstantSource clock) {
        try {
            return new ServerKeys(Optional.of(certFile), Optional.of(keyFile), clock, read(certFile, keyFile));
        } catch (IOException | GeneralSecurityException e) {
            throw new CommandException(
                    "--tls-cert-file " + certFile + ", --tls-private-key-file " + keyFile + ": " + e
                            + " (expected: a certificate and its key as PEM)",
                    e);
        }
    }

    /** A new pair that nobody has signed but itself, for a server of that name. */
    static ServerKeys selfSigned(String hostName, InstantSource clock) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair keys = generator.generateKeyPair();
            Instant now = clock.instant();
            X500Name name = new X500Name("CN=" + hostName + "@" + now.getEpochSecond());
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    name,
                    new BigInteger(64, new SecureRandom()),
                    Date.from(now.minus(Duration.ofHours(1))),
                    Date.from(now.plus(VALIDITY)),
                    name,
                    keys.getPublic());
            builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName[] {
                new GeneralName(GeneralName.dNSName, hostName),
                new GeneralName(GeneralName.dNSName, "localhost"),
                new GeneralName(GeneralName.iPAddress, "127.0.0.1")
            }));
            X509Certificate certificate = new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
            return new ServerKeys(
                    Optional.empty(),
                    Optional.empty(),
                    clock,
                    new Pair(keys.getPrivate(), List.of(certificate), List.of()));
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException("self-signed certificate: " + e, e);
        }
    }

    private static Pair read(Path certFile, Path keyFile) throws IOException, GeneralSecurityException {
        List<FileTime> changed = List.of(Files.getLastModifiedTime(certFile), Files.getLastModifiedTime(keyFile));
        List<X509Certificate> chain = certificates(certFile);
        if (chain.isEmpty()) {
            throw new PEMException(certFile + " has no certificate");
        }
        return new Pair(key(keyFile), chain, changed);
    }

    /** The certificates of a PEM file. */
    static List<X509Certificate> certificates(Path file) throws IOException, GeneralSecurityException {
        try (Reader reader = Files.newBufferedReader(file)) {
            return certificates(reader);
        }
    }

    /** The certificates of a PEM text. */
    static List<X509Certificate> certificates(Reader reader) throws IOException, GeneralSecurityException {
        List<X509Certificate> found = new ArrayList<>();
        PEMParser parser = new PEMParser(reader);
        for (Object part = parser.readObject(); part != null; part = parser.readObject()) {
            if (part instanceof X509CertificateHolder holder) {
                found.add(new JcaX509CertificateConverter().getCertificate(holder));
            }
        }
        return found;
    }

    private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        try (PEMParser parser = new PEMParser(Files.newBufferedReader(file))) {
            for (Object part = parser.readObject(); part != null; part = parser.readObject()) {
                if (part instanceof PEMKeyPair keys) {
                    return key(keys.getPrivateKeyInfo());
                }
                if (part instanceof PrivateKeyInfo key) {
                    return key(key);
                }
            }
        }
        throw new PEMException(file + " has no private key");
    }

    // Made by the JDK, whatever providers are registered: others name the algorithm of a key otherwise than TLS does.
    private static PrivateKey key(PrivateKeyInfo key) throws IOException, GeneralSecurityException {
        boolean isEc = key.getPrivateKeyAlgorithm().getAlgorithm().equals(X9ObjectIdentifiers.id_ecPublicKey);
        return isEc
                ? KeyFactory.getInstance("EC", "SunEC").generatePrivate(new PKCS8EncodedKeySpec(key.getEncoded()))
                : new JcaPEMKeyConverter().getPrivateKey(key);
    }

    // Where new files cannot be used, the ones before serve on: they may be written one after the other.
    private Pair current() {
        Pair known = pair;
        Instant now = clock.instant();
        if (certFile.isEmpty()
                || keyFile.isEmpty()
                || Duration.between(checked, now).compareTo(CHECK_INTERVAL) < 0) {
            return known;
        }
        checked = now;
        try {
            List<FileTime> changed =
                    List.of(Files.getLastModifiedTime(certFile.get()), Files.getLastModifiedTime(keyFile.get()));
            if (!changed.equals(known.changed())) {
                Pair changedPair = read(certFile.get(), keyFile.get());
                before = known;
                pair = changedPair;
                LOG.atInfo().addKeyValue("file", certFile.get()).log("Loaded a new serving certificate");
            }
        } catch (IOException | GeneralSecurityException e) {
            LOG.atWarn()
                    .addKeyValue("file", certFile.get())
                    .addKeyValue("err", e.toString())
                    .log("The new serving certificate cannot be read");
        }
        return pair;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return chooseServerAlias(keyType, issuers, null);
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        Pair chosen = current();
        return chosen.key().getAlgorithm().equals(keyType) ? chosen.alias() : null;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return named(alias).chain().toArray(X509Certificate[]::new);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return named(alias).key();
    }

    private Pair named(String alias) {
        Pair last = before;
        return last.alias().equals(alias) ? last : pair;
    }

    @Override
    public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return new String[] {pair.alias()};
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
