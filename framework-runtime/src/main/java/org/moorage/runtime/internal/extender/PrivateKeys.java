// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads private keys in PEM: PKCS #8, which Java knows, and the older forms of RSA and elliptic curves, which it does not. */
final class PrivateKeys {
    private static final Pattern PEM =
            Pattern.compile("-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");
    private static final HexFormat HEX = HexFormat.of();
    private static final byte[] VERSION = HEX.parseHex("020100");
    private static final byte[] RSA = HEX.parseHex("300d06092a864886f70d0101010500");
    private static final byte[] EC = HEX.parseHex("06072a8648ce3d0201");

    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;
    private static final int OBJECT_ID = 0x06;
    private static final int PARAMETERS = 0xa0;

    private PrivateKeys() {}

    /**
     * Reads the first key.
     *
     * @throws GeneralSecurityException if there is none, or it is none of RSA or an elliptic curve
     */
    static PrivateKey read(byte[] pem) throws GeneralSecurityException {
        Matcher found = PEM.matcher(new String(pem, StandardCharsets.US_ASCII));
        if (!found.find()) {
            throw new InvalidKeySpecException("no private key in PEM");
        }
        byte[] key = Base64.getMimeDecoder().decode(found.group(2));
        byte[] pkcs8 = switch (found.group(1)) {
            case "RSA PRIVATE KEY" -> der(SEQUENCE, VERSION, RSA, der(OCTETS, key));
            case "EC PRIVATE KEY" -> der(SEQUENCE, VERSION, der(SEQUENCE, EC, curve(key)), der(OCTETS, key));
            default -> key;
        };
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(pkcs8);
        try {
            return KeyFactory.getInstance("RSA").generatePrivate(spec);
        } catch (InvalidKeySpecException notRsa) {
            return KeyFactory.getInstance("EC").generatePrivate(spec);
        }
    }

    // SEQUENCE { INTEGER 1, OCTET STRING, [0] { OBJECT IDENTIFIER }, ... }
    private static byte[] curve(byte[] key) throws InvalidKeySpecException {
        for (int i = 0; i + 3 < key.length; i++) {
            int length = key[i + 1];
            if ((key[i] & 0xff) == PARAMETERS
                    && key[i + 2] == OBJECT_ID
                    && key[i + 3] == length - 2
                    && i + 2 + length <= key.length) {
                return Arrays.copyOfRange(key, i + 2, i + 2 + length);
            }
        }
        throw new InvalidKeySpecException("no named curve");
    }

    private static byte[] der(int tag, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(tag);
        // As few bytes as will do: Java refuses any other form.
        if (length < 0x80) {
            bytes.write(length);
        } else if (length < 0x100) {
            bytes.write(0x81);
            bytes.write(length);
        } else {
            bytes.write(0x82);
            bytes.write(length >> 8);
            bytes.write(length);
        }
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }
}
