// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/**
 * Extracts the module from a bundle of {@code opa build -t wasm}, a gzip-compressed tar file. For each file, the tar
 * has a header block with the name and the size in octal digits, followed by the content in whole blocks. Anything else
 * is rejected, since any client that may push policies can send a bundle.
 */
final class Bundle {
    private static final int MOST_UNPACKED = 64 << 20;
    private static final Set<String> NAMES = Set.of("/policy.wasm", "./policy.wasm", "policy.wasm");
    private static final Pattern OCTAL = Pattern.compile("[0-7]{1,12}");

    private static final int GZIP_HEAD = 10;
    private static final int GZIP_FLAGS = 3;
    private static final int GZIP_CHECKSUM = 2;
    private static final int GZIP_EXTRA = 4;
    private static final int GZIP_NAME = 8;
    private static final int GZIP_COMMENT = 16;

    private static final int BLOCK = 512;
    private static final int NAME_END = 100;
    private static final int SIZE = 124;
    private static final int SIZE_END = 136;
    private static final int TYPE = 156;

    private Bundle() {}

    /**
     * Returns the module of a bundle.
     *
     * @param most the maximum size of the module in bytes
     * @throws PolicyException if the bundle cannot be unpacked or has no module
     */
    static byte[] module(byte[] bundle, int most) {
        Inflater inflater = new Inflater(true);
        try (InputStream tar = new InflaterInputStream(compressed(bundle), inflater)) {
            long left = MOST_UNPACKED;
            byte[] head = new byte[BLOCK];
            while (tar.readNBytes(head, 0, BLOCK) == BLOCK && head[0] != 0) {
                left -= BLOCK;
                long size = size(head);
                long blocks = (size + BLOCK - 1) / BLOCK * BLOCK;
                if (blocks > left) {
                    throw unusable("has more than " + MOST_UNPACKED + " bytes");
                }
                left -= blocks;
                if (isModule(head)) {
                    return module(tar, size, most);
                }
                tar.skipNBytes(blocks);
            }
        } catch (EOFException truncated) {
            throw unusable("ends before its time");
        } catch (IOException broken) {
            throw unusable("is no compressed tar file: " + broken.getMessage());
        } finally {
            inflater.end();
        }
        throw new PolicyException("a bundle without /policy.wasm (expected: one of opa build -t wasm)");
    }

    // Returns the data after the header of RFC 1952. GZIPInputStream is not used because it reads each further member
    // in a nested call.
    private static InputStream compressed(byte[] bundle) throws IOException {
        if (bundle.length < GZIP_HEAD) {
            throw new EOFException();
        }
        int flags = bundle[GZIP_FLAGS];
        int at = GZIP_HEAD;
        if ((flags & GZIP_EXTRA) != 0 && at + 1 < bundle.length) {
            at += 2 + (bundle[at] & 0xff) + ((bundle[at + 1] & 0xff) << 8);
        }
        for (int text : new int[] {GZIP_NAME, GZIP_COMMENT}) {
            while ((flags & text) != 0 && at < bundle.length && bundle[at++] != 0) {
                // Skips the text up to its terminating zero.
            }
        }
        at += (flags & GZIP_CHECKSUM) != 0 ? 2 : 0;
        if (at > bundle.length) {
            throw new EOFException();
        }
        return new ByteArrayInputStream(bundle, at, bundle.length - at);
    }

    private static byte[] module(InputStream tar, long size, int most) throws IOException {
        if (size > most) {
            throw unusable("has a module of " + size + " bytes (expected: at most " + most + ")");
        }
        byte[] module = tar.readNBytes((int) size);
        if (module.length < size) {
            throw new EOFException();
        }
        return module;
    }

    // Accepts only a regular file with that name at the top level: no link, no directory, no longer path.
    private static boolean isModule(byte[] head) {
        String name = text(head, 0, NAME_END);
        return NAMES.contains(name) && (head[TYPE] == '0' || head[TYPE] == 0);
    }

    private static long size(byte[] head) {
        String digits = text(head, SIZE, SIZE_END).strip();
        if (!OCTAL.matcher(digits).matches()) {
            throw unusable("has a file of a size that is not in octal digits");
        }
        return Long.parseLong(digits, 8);
    }

    private static String text(byte[] head, int begin, int end) {
        int at = begin;
        while (at < end && head[at] != 0) {
            at++;
        }
        return new String(head, begin, at - begin, StandardCharsets.UTF_8);
    }

    private static PolicyException unusable(String why) {
        return new PolicyException("a bundle that cannot be unpacked: it " + why);
    }
}
