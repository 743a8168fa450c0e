// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Names of the form that Kubernetes generates, but deterministic: the same text gives the same name.
 */
public final class GeneratedNames {
    private static final int LONGEST_NAME = 63;
    private static final int SUFFIX_LENGTH = 5;
    /** No vowels and no digits that look like one, so that no words come out. */
    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

    private static final int FNV_OFFSET = 0x811c9dc5;
    private static final int FNV_PRIME = 0x01000193;

    private GeneratedNames() {}

    /**
     * Returns a name as the API server makes it of {@code generateName}: the prefix, cut if it is long, and five
     * letters.
     *
     * @param prefix the {@code generateName}
     * @param seed what the letters are derived from, besides the prefix
     */
    public static String name(String prefix, String seed) {
        int most = LONGEST_NAME - SUFFIX_LENGTH;
        StringBuilder name = new StringBuilder(prefix.length() > most ? prefix.substring(0, most) : prefix);
        int rest = hash32(prefix + "/" + seed) >>> 1;
        for (int i = 0; i < SUFFIX_LENGTH; i++) {
            name.append(ALPHABET.charAt(rest % ALPHABET.length()));
            rest /= ALPHABET.length();
        }
        return name.toString();
    }

    /** Returns a hash as controllers make it of a pod template for their labels: at most ten letters. */
    public static String hash(String text) {
        StringBuilder letters = new StringBuilder();
        Integer.toUnsignedString(hash32(text))
                .chars()
                .forEach(digit -> letters.append(ALPHABET.charAt(digit % ALPHABET.length())));
        return letters.toString();
    }

    // FNV-1a
    private static int hash32(String text) {
        int hash = FNV_OFFSET;
        for (byte next : text.getBytes(UTF_8)) {
            hash = (hash ^ (next & 0xff)) * FNV_PRIME;
        }
        return hash;
    }
}
