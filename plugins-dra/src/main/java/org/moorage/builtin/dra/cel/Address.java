// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.math.BigInteger;
import java.util.Arrays;

/**
 * An IP address.
 *
 * @param value its bits as a number
 * @param bits how many bits there are: 32 or 128
 * @param zone the zone, empty if none
 */
record Address(BigInteger value, int bits, String zone) {

    /**
     * Reads an address.
     *
     * @throws IllegalArgumentException if it is none, in the words of Go's library
     */
    static Address parse(String text) {
        for (int i = 0; i < text.length(); i++) {
            switch (text.charAt(i)) {
                case '.':
                    byte[] four = new byte[4];
                    readFour(text, text, four, 0);
                    return new Address(new BigInteger(1, four), 32, "");
                case ':':
                    return parseSix(text);
                case '%':
                    throw invalid(text, "missing IPv6 address", "");
                default:
                    break;
            }
        }
        throw invalid(text, "unable to parse IP", "");
    }

    private static IllegalArgumentException invalid(String text, String problem, String at) {
        return new IllegalArgumentException("ParseAddr(" + Texts.quoted(text) + "): " + problem
                + (at.isEmpty() ? "" : " (at " + Texts.quoted(at) + ")"));
    }

    private static void readFour(String whole, String text, byte[] into, int offset) {
        int value = 0;
        int position = 0;
        int digits = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= '0' && c <= '9') {
                if (digits == 1 && value == 0) {
                    throw invalid(whole, "IPv4 field has octet with leading zero", "");
                }
                value = value * 10 + c - '0';
                digits++;
                if (value > 255) {
                    throw invalid(whole, "IPv4 field has value >255", "");
                }
            } else if (c == '.') {
                if (i == 0 || i == text.length() - 1 || text.charAt(i - 1) == '.') {
                    throw invalid(whole, "IPv4 field must have at least one digit", text.substring(i));
                }
                if (position == 3) {
                    throw invalid(whole, "IPv4 address too long", "");
                }
                into[offset + position++] = (byte) value;
                value = 0;
                digits = 0;
            } else {
                throw invalid(whole, "unexpected character", text.substring(i));
            }
        }
        if (position < 3) {
            throw invalid(whole, "IPv4 address too short", "");
        }
        into[offset + 3] = (byte) value;
    }

    private static Address parseSix(String whole) {
        int percent = whole.indexOf('%');
        String rest = percent < 0 ? whole : whole.substring(0, percent);
        String zone = percent < 0 ? "" : whole.substring(percent + 1);
        if (percent >= 0 && zone.isEmpty()) {
            throw invalid(whole, "zone must be a non-empty string", "");
        }
        byte[] bytes = new byte[16];
        int ellipsis = -1;
        if (rest.startsWith("::")) {
            ellipsis = 0;
            rest = rest.substring(2);
            if (rest.isEmpty()) {
                return new Address(BigInteger.ZERO, 128, zone);
            }
        }
        int i = 0;
        while (i < 16) {
            int digits = hexDigits(whole, rest);
            if (digits < rest.length() && rest.charAt(digits) == '.') {
                if (ellipsis < 0 && i != 12) {
                    throw invalid(whole, "embedded IPv4 address must replace the final 2 fields of the address", rest);
                }
                if (i + 4 > 16) {
                    throw invalid(whole, "too many hex fields to fit an embedded IPv4 at the end of the address", rest);
                }
                readFour(whole, rest, bytes, i);
                rest = "";
                i += 4;
                break;
            }
            int field = Integer.parseInt(rest.substring(0, digits), 16);
            bytes[i++] = (byte) (field >> 8);
            bytes[i++] = (byte) field;
            rest = rest.substring(digits);
            if (rest.isEmpty()) {
                break;
            }
            if (rest.charAt(0) != ':') {
                throw invalid(whole, "unexpected character, want colon", rest);
            }
            if (rest.length() == 1) {
                throw invalid(whole, "colon must be followed by more characters", rest);
            }
            rest = rest.substring(1);
            if (rest.charAt(0) == ':') {
                if (ellipsis >= 0) {
                    throw invalid(whole, "multiple :: in address", rest);
                }
                ellipsis = i;
                rest = rest.substring(1);
                if (rest.isEmpty()) {
                    break;
                }
            }
        }
        if (!rest.isEmpty()) {
            throw invalid(whole, "trailing garbage after address", rest);
        }
        if (i < 16) {
            if (ellipsis < 0) {
                throw invalid(whole, "address string too short", "");
            }
            System.arraycopy(bytes, ellipsis, bytes, ellipsis + 16 - i, i - ellipsis);
            Arrays.fill(bytes, ellipsis, ellipsis + 16 - i, (byte) 0);
        } else if (ellipsis >= 0) {
            throw invalid(whole, "the :: must expand to at least one field of zeros", "");
        }
        return new Address(new BigInteger(1, bytes), 128, zone);
    }

    private static int hexDigits(String whole, String rest) {
        int digits = 0;
        while (digits < rest.length() && Character.digit(rest.charAt(digits), 16) >= 0 && rest.charAt(digits) < 128) {
            if (digits > 3) {
                throw invalid(whole, "each group must have 4 or less digits", rest);
            }
            digits++;
        }
        if (digits == 0) {
            throw invalid(whole, "each colon-separated field must have at least one digit", rest);
        }
        return digits;
    }

    /** Whether it is an IPv4 address in the clothes of an IPv6 one. */
    boolean isMapped() {
        return bits == 128 && value.shiftRight(32).intValue() == 0xffff && value.bitLength() <= 48;
    }

    boolean isUnspecified() {
        return value.signum() == 0;
    }

    boolean isLoopback() {
        return bits == 32 ? top(8) == 127 : value.equals(BigInteger.ONE);
    }

    boolean isLinkLocalMulticast() {
        return bits == 32 ? top(24) == 0xe00000 : (top(16) & 0xff0f) == 0xff02;
    }

    boolean isLinkLocalUnicast() {
        return bits == 32 ? top(16) == 0xa9fe : (top(16) & 0xffc0) == 0xfe80;
    }

    boolean isGlobalUnicast() {
        boolean isMulticast = bits == 32 ? top(4) == 0xe : top(8) == 0xff;
        boolean isBroadcast = bits == 32 && value.bitCount() == 32;
        return !isUnspecified() && !isBroadcast && !isLoopback() && !isMulticast && !isLinkLocalUnicast();
    }

    private int top(int count) {
        return value.shiftRight(bits - count).intValue();
    }

    /** The address with only its first bits left. */
    Address masked(int prefix) {
        return new Address(value.shiftRight(bits - prefix).shiftLeft(bits - prefix), bits, "");
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        if (bits == 32) {
            for (int i = 24; i >= 0; i -= 8) {
                text.append(value.shiftRight(i).intValue() & 0xff).append(i == 0 ? "" : ".");
            }
            return text.toString();
        }
        int[] fields = new int[8];
        for (int i = 0; i < 8; i++) {
            fields[i] = value.shiftRight(112 - 16 * i).intValue() & 0xffff;
        }
        int start = 8;
        int end = 8;
        for (int i = 0; i < 8; i++) {
            int j = i;
            while (j < 8 && fields[j] == 0) {
                j++;
            }
            if (j - i >= 2 && j - i > end - start) {
                start = i;
                end = j;
            }
        }
        for (int i = 0; i < 8; i++) {
            if (i == start) {
                text.append("::");
                i = end;
                if (i >= 8) {
                    break;
                }
            } else if (i > 0) {
                text.append(':');
            }
            text.append(Integer.toHexString(fields[i]));
        }
        return zone.isEmpty() ? text.toString() : text + "%" + zone;
    }
}
