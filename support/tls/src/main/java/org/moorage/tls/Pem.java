// SPDX-License-Identifier: Apache-2.0
package org.moorage.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A PEM text with certificates or a private key. As in Go, other content is skipped.
 *
 * @param source its name in messages: a setting or flag, and the file if there is one
 * @param text the text; may be secret, so messages must not contain it
 */
public record Pem(String source, String text) {
    /** No certificate and no key. */
    public static final Pem NONE = new Pem("none given", "");

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String KEY = "PRIVATE KEY";

    /** Returns the text of a setting. */
    public static Pem of(String source, byte[] text) {
        return new Pem(source, new String(text, StandardCharsets.ISO_8859_1));
    }

    /**
     * Reads the text of a file.
     *
     * @param setting the setting or flag that names the file
     * @throws IOException if it cannot be read; the message names both
     */
    public static Pem ofFile(String setting, Path file) throws IOException {
        String source = setting + ": \"" + file + "\"";
        try {
            return of(source, Files.readAllBytes(file));
        } catch (IOException unreadable) {
            throw new IOException(source + ": " + fault(unreadable) + " (expected: a readable file)", unreadable);
        }
    }

    // The same messages as TextFile, on which plugins that query Prometheus do not depend.
    private static String fault(IOException unreadable) {
        if (unreadable instanceof NoSuchFileException) {
            return "no such file";
        }
        if (unreadable instanceof AccessDeniedException) {
            return "permission denied";
        }
        String message =
                unreadable instanceof FileSystemException system ? system.getReason() : unreadable.getMessage();
        if (message == null || message.isBlank()) {
            return "it cannot be used";
        }
        return message.contains("Is a directory")
                ? "a folder"
                : message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
    }

    /**
     * Returns whether no text was given. An empty file counts as given, although no certificate can be read from it.
     */
    public boolean isNone() {
        return equals(NONE);
    }

    /**
     * Returns the certificates, in order.
     *
     * @throws CertificateException if there is none, or one cannot be read
     */
    public List<X509Certificate> certificates() throws CertificateException {
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            Matcher block = BLOCK.matcher(text);
            while (block.find()) {
                if (block.group(1).equals(CERTIFICATE)) {
                    byte[] der = decoded(block.group(2));
                    certificates.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
                }
            }
        } catch (CertificateException | IllegalArgumentException malformed) {
            throw new CertificateException(
                    unusable("certificates in PEM", String.valueOf(malformed.getMessage())), malformed);
        }
        if (certificates.isEmpty()) {
            throw new CertificateException(unusable("certificates in PEM", "no certificate"));
        }
        return certificates;
    }

    /**
     * Returns the first private key, of RSA, an elliptic curve or EdDSA, in PKCS #8, PKCS #1 or SEC 1.
     *
     * @throws InvalidKeyException if there is none, or it cannot be read, or a password is needed for it
     */
    public PrivateKey privateKey() throws InvalidKeyException {
        Matcher block = BLOCK.matcher(text);
        while (block.find()) {
            if (block.group(1).endsWith(KEY)) {
                return privateKey(block.group(1), block.group(2));
            }
        }
        throw new InvalidKeyException(unusable("a private key in PEM", "no private key"));
    }

    private PrivateKey privateKey(String type, String body) throws InvalidKeyException {
        // In the older forms, a header marks an encrypted key.
        if (type.startsWith("ENCRYPTED") || body.contains("ENCRYPTED")) {
            throw new InvalidKeyException(unusable("a private key in PEM that is not encrypted", "an encrypted key"));
        }
        try {
            byte[] der = decoded(body);
            return switch (type) {
                case KEY -> KeyDer.ofPkcs8(der);
                case "RSA PRIVATE KEY" -> KeyDer.ofPkcs1(der);
                case "EC PRIVATE KEY" -> KeyDer.ofSec1(der);
                default -> throw new InvalidKeyException("a " + type);
            };
        } catch (GeneralSecurityException | IllegalArgumentException malformed) {
            throw new InvalidKeyException(
                    unusable("a private key in PEM", String.valueOf(malformed.getMessage())), malformed);
        }
    }

    private static byte[] decoded(String body) {
        return Base64.getDecoder().decode(body.replaceAll("\\s", ""));
    }

    private String unusable(String expected, String why) {
        return source + ": not usable (expected: " + expected + "): " + why;
    }

    @Override
    public String toString() {
        return source;
    }
}
