// SPDX-License-Identifier: Apache-2.0
package org.moorage.tls;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.HexFormat;

/**
 * Private keys in DER: PKCS #8, which Java reads, and the older forms of RSA and elliptic curves, which become PKCS #8
 * by wrapping.
 */
final class KeyDer {
    private static final HexFormat HEX = HexFormat.of();
    private static final byte[] VERSION = HEX.parseHex("020100");
    private static final byte[] RSA = HEX.parseHex("300d06092a864886f70d0101010500");
    private static final byte[] EC = HEX.parseHex("06072a8648ce3d0201");

    private static final int INTEGER = 0x02;
    private static final int OCTETS = 0x04;
    private static final int OBJECT_ID = 0x06;
    private static final int SEQUENCE = 0x30;
    private static final int PARAMETERS = 0xa0;

    private KeyDer() {}

    /** Reads a key in PKCS #8. */
    static PrivateKey ofPkcs8(byte[] der) throws GeneralSecurityException {
        // SEQUENCE { INTEGER, SEQUENCE { OBJECT IDENTIFIER, ... }, ... }
        ByteBuffer key = next(ByteBuffer.wrap(der), SEQUENCE);
        next(key, INTEGER);
        String algorithm = HEX.formatHex(bytes(next(next(key, SEQUENCE), OBJECT_ID)));
        // TLS selects keys by these algorithm names.
        String name = switch (algorithm) {
            case "2a864886f70d010101" -> "RSA";
            case "2a8648ce3d0201" -> "EC";
            case "2b6570", "2b6571" -> "EdDSA";
            default -> throw new InvalidKeySpecException("a key of another algorithm than RSA, EC or EdDSA");
        };
        return KeyFactory.getInstance(name).generatePrivate(new PKCS8EncodedKeySpec(der));
    }

    /** Reads an RSA key in PKCS #1. */
    static PrivateKey ofPkcs1(byte[] der) throws GeneralSecurityException {
        return ofPkcs8(element(SEQUENCE, VERSION, RSA, element(OCTETS, der)));
    }

    /** Reads an elliptic curve key in SEC 1, which names the curve. */
    static PrivateKey ofSec1(byte[] der) throws GeneralSecurityException {
        // SEQUENCE { INTEGER, OCTET STRING, [0] { OBJECT IDENTIFIER }, ... }
        ByteBuffer key = next(ByteBuffer.wrap(der), SEQUENCE);
        next(key, INTEGER);
        next(key, OCTETS);
        byte[] curve = bytes(next(key, PARAMETERS));
        return ofPkcs8(element(SEQUENCE, VERSION, element(SEQUENCE, EC, curve), element(OCTETS, der)));
    }

    // Returns the contents of the next element, which must have the given tag, and moves the buffer past the element.
    private static ByteBuffer next(ByteBuffer der, int tag) throws InvalidKeySpecException {
        if (der.remaining() < 2 || (der.get() & 0xff) != tag) {
            throw new InvalidKeySpecException("DER of no such key");
        }
        int length = der.get() & 0xff;
        if (length >= 0x80) {
            int count = length - 0x80;
            length = 0;
            for (int i = 0; i < count && length <= der.remaining() && der.hasRemaining(); i++) {
                length = length << 8 | der.get() & 0xff;
            }
        }
        if (length > der.remaining()) {
            throw new InvalidKeySpecException("DER that ends too early");
        }
        ByteBuffer contents = der.slice(der.position(), length);
        der.position(der.position() + length);
        return contents;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static byte[] element(int tag, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteArrayOutputStream element = new ByteArrayOutputStream();
        element.write(tag);
        // Uses the shortest form: Java rejects any other.
        if (length < 0x80) {
            element.write(length);
        } else if (length < 0x100) {
            element.write(0x81);
            element.write(length);
        } else {
            element.write(0x82);
            element.write(length >> 8);
            element.write(length);
        }
        for (byte[] part : parts) {
            element.writeBytes(part);
        }
        return element.toByteArray();
    }
}
