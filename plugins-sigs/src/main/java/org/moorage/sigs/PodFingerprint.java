// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;
import org.moorage.api.model.Pod;

/**
 * The fingerprint of a set of pods, by which an agent on a node reports which pods it has seen. It hashes namespaces and
 * names with XXH64, in any order of the pods.
 */
final class PodFingerprint {
    private static final String PREFIX = "pfp0v001";

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;
    private static final int STRIPE = 32;

    private PodFingerprint() {}

    /** Returns the fingerprint of these pods. */
    static String of(Collection<Pod> pods) {
        // Sorted as unsigned numbers, which is the order of the numbers with the first bit inverted.
        long[] sorted = pods.stream()
                .mapToLong(pod -> hash(pod) ^ Long.MIN_VALUE)
                .sorted()
                .toArray();
        ByteBuffer bytes = ByteBuffer.allocate(sorted.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (long inverted : sorted) {
            bytes.putLong(inverted ^ Long.MIN_VALUE);
        }
        return PREFIX + String.format("%016x", xxh64(bytes.array(), 0));
    }

    private static long hash(Pod pod) {
        return xxh64(pod.name().getBytes(UTF_8), xxh64(pod.namespace().getBytes(UTF_8), 0));
    }

    /** Returns the XXH64 hash of some bytes. */
    static long xxh64(byte[] bytes, long seed) {
        int at = 0;
        long hash;
        if (bytes.length >= STRIPE) {
            long first = seed + PRIME_1 + PRIME_2;
            long second = seed + PRIME_2;
            long third = seed;
            long fourth = seed - PRIME_1;
            for (; at + STRIPE <= bytes.length; at += STRIPE) {
                first = round(first, (long) LONGS.get(bytes, at));
                second = round(second, (long) LONGS.get(bytes, at + Long.BYTES));
                third = round(third, (long) LONGS.get(bytes, at + 2 * Long.BYTES));
                fourth = round(fourth, (long) LONGS.get(bytes, at + 3 * Long.BYTES));
            }
            hash = Long.rotateLeft(first, 1)
                    + Long.rotateLeft(second, 7)
                    + Long.rotateLeft(third, 12)
                    + Long.rotateLeft(fourth, 18);
            hash = merge(merge(merge(merge(hash, first), second), third), fourth);
        } else {
            hash = seed + PRIME_5;
        }
        hash += bytes.length;
        for (; at + Long.BYTES <= bytes.length; at += Long.BYTES) {
            hash = Long.rotateLeft(hash ^ round(0, (long) LONGS.get(bytes, at)), 27) * PRIME_1 + PRIME_4;
        }
        if (at + Integer.BYTES <= bytes.length) {
            hash ^= Integer.toUnsignedLong((int) INTS.get(bytes, at)) * PRIME_1;
            hash = Long.rotateLeft(hash, 23) * PRIME_2 + PRIME_3;
            at += Integer.BYTES;
        }
        for (; at < bytes.length; at++) {
            hash = Long.rotateLeft(hash ^ Byte.toUnsignedLong(bytes[at]) * PRIME_5, 11) * PRIME_1;
        }
        hash = (hash ^ hash >>> 33) * PRIME_2;
        hash = (hash ^ hash >>> 29) * PRIME_3;
        return hash ^ hash >>> 32;
    }

    private static long round(long accumulator, long input) {
        return Long.rotateLeft(accumulator + input * PRIME_2, 31) * PRIME_1;
    }

    private static long merge(long hash, long accumulator) {
        return (hash ^ round(0, accumulator)) * PRIME_1 + PRIME_4;
    }
}
