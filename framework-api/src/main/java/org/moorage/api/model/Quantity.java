// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An amount in Kubernetes notation: {@code 500m}, {@code 1.5Gi}, {@code 1e3}. Exact to a billionth, immutable.
 *
 * <p>Fractions of a billionth are rounded away from zero, as the API server does. An amount that is too large becomes
 * the largest {@code long}, for any length of its text and any exponent. Two quantities are equal if their amounts are:
 * {@code 1} equals {@code 1000m}.
 */
public final class Quantity implements Comparable<Quantity> {
    /** 0. */
    public static final Quantity ZERO = new Quantity(0, 0);

    private static final int NANOS = 1_000_000_000;
    private static final BigInteger BIG_NANOS = BigInteger.valueOf(NANOS);
    private static final List<String> BINARY_SUFFIXES = List.of("Ki", "Mi", "Gi", "Ti", "Pi", "Ei");
    /**
     * Powers of ten beyond this, or below its inverse, make no difference: the amount is too large or too small with
     * any suffix.
     */
    private static final int FAR = 60;
    /** An exponent beyond this is too large or too small for any number of digits. */
    private static final int FARTHEST = 1_000_000_000;

    private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE).multiply(BIG_NANOS);

    // The amount is whole + nanos / 10^9 with 0 <= nanos < 10^9, also below zero.
    private final long whole;
    private final int nanos;

    private Quantity(long whole, int nanos) {
        this.whole = whole;
        this.nanos = nanos;
    }

    /** Returns a whole amount. */
    public static Quantity of(long amount) {
        return amount == 0 ? ZERO : new Quantity(amount, 0);
    }

    /** Returns an amount counted in thousandths. */
    public static Quantity ofMilli(long thousandths) {
        return new Quantity(Math.floorDiv(thousandths, 1000L), (int) Math.floorMod(thousandths, 1000L) * 1_000_000);
    }

    /**
     * Reads a quantity.
     *
     * @throws IllegalArgumentException if the text is not a number followed by one of the suffixes n u m k M G T P E,
     *     Ki Mi Gi Ti Pi Ei, or an exponent
     */
    public static Quantity parse(String text) {
        Objects.requireNonNull(text, "text");
        int length = text.length();
        long digits = 0;
        int end = 0;
        while (end < length && end < 18 && isDigit(text.charAt(end))) {
            digits = digits * 10 + (text.charAt(end++) - '0');
        }
        if (end > 0 && (end == length || !isDigit(text.charAt(end)) && text.charAt(end) != '.')) {
            Quantity simple = simple(digits, text, end);
            if (simple != null) {
                return simple;
            }
        }
        return exact(text);
    }

    private static @Nullable Quantity simple(long digits, String text, int suffix) {
        int length = text.length() - suffix;
        if (length == 0) {
            return of(digits);
        }
        char unit = text.charAt(suffix);
        if (length == 1 && unit == 'm') {
            return ofMilli(digits);
        }
        if (length == 2 && text.charAt(suffix + 1) == 'i') {
            int shift = "KMGTPE".indexOf(unit) * 10 + 10;
            if (shift > 0 && digits <= Long.MAX_VALUE >> shift) {
                return of(digits << shift);
            }
        }
        return null;
    }

    private static Quantity exact(String text) {
        int start = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        int point = digitsEnd(text, start);
        int end = point < text.length() && text.charAt(point) == '.' ? digitsEnd(text, point + 1) : point;
        String digits = text.substring(start, point) + text.substring(Math.min(point + 1, end), end);
        if (digits.isEmpty()) {
            throw invalid(text);
        }
        String suffix = text.substring(end);
        int binary = BINARY_SUFFIXES.indexOf(suffix);
        int exponent = binary >= 0 ? 0 : exponent(suffix, text);
        if (isZero(digits, 0)) {
            return ZERO;
        }
        int first = 0;
        while (digits.charAt(first) == '0') {
            first++;
        }
        // The amount is below 10^magnitude and not below a tenth of that, apart from a binary suffix.
        int magnitude = point - start - first + exponent;
        BigInteger inNanos;
        if (magnitude > FAR) {
            inNanos = MAX;
        } else if (magnitude < -FAR) {
            inNanos = BigInteger.ONE;
        } else {
            int last = Math.min(digits.length(), first + magnitude + FAR);
            // The omitted digits only matter for rounding up, so a single 1 represents them.
            String read = digits.substring(first, last) + (isZero(digits, last) ? "" : "1");
            BigDecimal amount = new BigDecimal(new BigInteger(read), read.length() - magnitude);
            inNanos = amount.multiply(new BigDecimal(BigInteger.ONE.shiftLeft(10 * Math.max(0, binary + 1))))
                    .movePointRight(9)
                    .setScale(0, RoundingMode.UP)
                    .toBigInteger()
                    .min(MAX);
        }
        return ofNanos(text.startsWith("-") ? inNanos.negate() : inNanos);
    }

    private static int digitsEnd(String text, int from) {
        int end = from;
        while (end < text.length() && isDigit(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean isZero(String digits, int from) {
        int end = from;
        while (end < digits.length() && digits.charAt(end) == '0') {
            end++;
        }
        return end == digits.length();
    }

    private static int exponent(String suffix, String text) {
        return switch (suffix) {
            case "n" -> -9;
            case "u" -> -6;
            case "m" -> -3;
            case "" -> 0;
            case "k" -> 3;
            case "M" -> 6;
            case "G" -> 9;
            case "T" -> 12;
            case "P" -> 15;
            case "E" -> 18;
            default -> {
                int start = suffix.startsWith("-", 1) || suffix.startsWith("+", 1) ? 2 : 1;
                boolean isExponent = suffix.startsWith("e") || suffix.startsWith("E");
                if (!isExponent || start == suffix.length() || digitsEnd(suffix, start) < suffix.length()) {
                    throw invalid(text);
                }
                long size = 0;
                for (int i = start; i < suffix.length() && size < FARTHEST; i++) {
                    size = size * 10 + (suffix.charAt(i) - '0');
                }
                int bounded = (int) Math.min(size, FARTHEST);
                yield suffix.startsWith("-", 1) ? -bounded : bounded;
            }
        };
    }

    private static Quantity ofNanos(BigInteger inNanos) {
        BigInteger[] parts = inNanos.divideAndRemainder(BIG_NANOS);
        long whole = parts[0].longValueExact();
        int nanos = parts[1].intValueExact();
        return nanos < 0 ? new Quantity(whole - 1, nanos + NANOS) : new Quantity(whole, nanos);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static IllegalArgumentException invalid(String text) {
        return new IllegalArgumentException("quantity: \"" + text
                + "\" (expected: a number with a suffix such as m, k, M, Gi or an exponent, for example 500m"
                + " or 1.5Gi)");
    }

    /** Returns the amount rounded to a whole number, away from zero. */
    public long value() {
        return nanos == 0 || whole < 0 ? whole : whole == Long.MAX_VALUE ? whole : whole + 1;
    }

    /**
     * Returns the amount in thousandths, rounded away from zero to a whole number; at most the largest {@code long}.
     */
    public long milliValue() {
        long rest = whole < 0 ? nanos / 1_000_000 : (nanos + 999_999) / 1_000_000;
        long high = Math.multiplyHigh(whole, 1000L);
        long low = whole * 1000L;
        if (high != low >> 63) {
            return whole < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        long sum = low + rest;
        return low > 0 && sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** Returns the sum; at most the largest {@code long}. */
    public Quantity plus(Quantity other) {
        long sum = whole + other.whole;
        int rest = nanos + other.nanos;
        if (((whole ^ sum) & (other.whole ^ sum)) < 0) {
            return of(whole < 0 ? Long.MIN_VALUE : Long.MAX_VALUE);
        }
        if (rest >= NANOS) {
            rest -= NANOS;
            sum = sum == Long.MAX_VALUE ? sum : sum + 1;
        }
        return new Quantity(sum, rest);
    }

    /** Returns the difference; at least the smallest {@code long}, at most the largest. */
    public Quantity minus(Quantity other) {
        return plus(other.negated());
    }

    /** Returns the product; at least the smallest {@code long}, at most the largest. */
    public Quantity times(Quantity factor) {
        BigInteger[] parts = inNanos().multiply(factor.inNanos()).divideAndRemainder(BIG_NANOS);
        BigInteger product = parts[0].add(BigInteger.valueOf(parts[1].signum()));
        BigInteger bounded = product.abs().min(MAX);
        return ofNanos(product.signum() < 0 ? bounded.negate() : bounded);
    }

    private BigInteger inNanos() {
        return BigInteger.valueOf(whole).multiply(BIG_NANOS).add(BigInteger.valueOf(nanos));
    }

    private Quantity negated() {
        if (nanos != 0) {
            return new Quantity(-whole - 1, NANOS - nanos);
        }
        return of(whole == Long.MIN_VALUE ? Long.MAX_VALUE : -whole);
    }

    /** Returns the larger of the two. */
    public Quantity max(Quantity other) {
        return compareTo(other) >= 0 ? this : other;
    }

    /** Returns whether the amount is 0. */
    public boolean isZero() {
        return whole == 0 && nanos == 0;
    }

    @Override
    public int compareTo(Quantity other) {
        int order = Long.compare(whole, other.whole);
        return order != 0 ? order : Integer.compare(nanos, other.nanos);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Quantity that && whole == that.whole && nanos == that.nanos;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(whole) * 31 + nanos;
    }

    /** Returns the amount as a plain decimal number that {@link #parse} reads back. */
    @Override
    public String toString() {
        if (nanos == 0) {
            return Long.toString(whole);
        }
        return BigDecimal.valueOf(whole)
                .add(BigDecimal.valueOf(nanos, 9))
                .stripTrailingZeros()
                .toPlainString();
    }
}
