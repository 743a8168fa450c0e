// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Floating-point arithmetic with Go's results on x86-64 processors with fused multiply-add. Java's functions round the
 * last bit, halves and numbers out of range differently, and a score can depend on it.
 */
final class GoMath {
    private static final double OVERFLOW = 7.09782712893384e+02;
    private static final double LOG2_E = 1.4426950408889634;
    // The upper and the lower half of the natural logarithm of 2.
    private static final double LN2_UPPER = 0.693147180559663;
    private static final double LN2_LOWER = 2.8235290563031577e-13;
    // The coefficients of the Taylor series, from the term of the eighth power to that of the first, without 1/2 and 1.
    private static final double[] TAYLOR = {
        2.48015873015873e-5,
        0.0001984126984126984,
        0.001388888888888889,
        0.008333333333333333,
        0.041666666666666664,
        0.16666666666666666,
        0.5,
        1
    };

    private static final int EXPONENT_BIAS = 1023;
    private static final int LEAST_DENORMAL = -52;

    private static final double LOG_LN2_UPPER = 0.6931471803691238;
    private static final double LOG_LN2_LOWER = 1.9082149292705877e-10;
    private static final double[] LOG_ODD = {
        0.14798198605116586, 0.1818357216161805, 0.2857142874366239, 0.6666666666666735
    };
    private static final double[] LOG_EVEN = {0.15313837699209373, 0.22222198432149784, 0.3999999999940942};

    private static final Pattern NUMBER = Pattern.compile(
            "[+-]?(([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[+-]?[0-9]+)?|0x([0-9a-f]+\\.?[0-9a-f]*|\\.[0-9a-f]+)p[+-]?[0-9]+)");
    private static final Pattern INFINITY = Pattern.compile("[+-]?inf(inity)?");
    private static final Pattern BETWEEN_DIGITS = Pattern.compile("(?<=[0-9a-fx])_(?=[0-9a-f])");

    private GoMath() {}

    /** Returns a number without its fraction; the least number for all that 64 bits cannot represent. */
    static long truncate(double x) {
        return x >= -0x1p63 && x < 0x1p63 ? (long) x : Long.MIN_VALUE;
    }

    /** Returns the nearest whole number, half away from zero; the least number for all that 64 bits cannot represent. */
    static long round(double x) {
        return Math.abs(x) < 0x1p53 ? (long) Math.copySign((double) Math.round(Math.abs(x)), x) : truncate(x);
    }

    /**
     * Reads a number.
     *
     * @throws NumberFormatException if it is none; the message is {@code strconv.ParseFloat}'s
     */
    static double parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.equals("nan")) {
            return Double.NaN;
        }
        if (INFINITY.matcher(lower).matches()) {
            return lower.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        String digits = BETWEEN_DIGITS.matcher(lower).replaceAll("");
        boolean isNumber = NUMBER.matcher(digits).matches();
        double number = isNumber ? Double.parseDouble(digits) : 0;
        if (isNumber && Double.isFinite(number)) {
            return number;
        }
        throw new NumberFormatException(
                "parsing \"" + text + "\": " + (isNumber ? "value out of range" : "invalid syntax"));
    }

    /** Returns e to the power of x. */
    static double exp(double x) {
        if (Double.isNaN(x) || x > OVERFLOW) {
            return x > OVERFLOW ? Double.POSITIVE_INFINITY : x;
        }
        double exponent = Math.rint(x * LOG2_E);
        if (exponent + EXPONENT_BIAS < LEAST_DENORMAL) {
            return 0;
        }
        double rest = Math.fma(-exponent, LN2_LOWER, Math.fma(-exponent, LN2_UPPER, x)) / 16;
        double sum = TAYLOR[0];
        for (int i = 1; i < TAYLOR.length; i++) {
            sum = Math.fma(rest, sum, TAYLOR[i]);
        }
        // sum is e^rest - 1; squared four times as (1 + sum)^2 - 1.
        sum *= rest;
        for (int i = 0; i < 3; i++) {
            sum *= sum + 2;
        }
        sum = Math.fma(sum + 2, sum, 1);
        return scaled(sum, (int) exponent);
    }

    // Multiplies by a power of two; rounds twice below the normal numbers.
    private static double scaled(double value, int exponent) {
        int biased = exponent + EXPONENT_BIAS;
        if (biased > 2 * EXPONENT_BIAS) {
            return Double.POSITIVE_INFINITY;
        }
        return biased > 0 ? value * Math.scalb(1.0, exponent) : value * Math.scalb(1.0, biased - 1) * Double.MIN_NORMAL;
    }

    /** Returns the natural logarithm of a positive number. */
    static double log(double x) {
        // Numbers below the normal ones count as if they were normal, with the exponent of the least ones.
        long bits = Double.doubleToRawLongBits(x);
        double fraction = Double.longBitsToDouble(bits & 0x000F_FFFF_FFFF_FFFFL | 0x3FE0_0000_0000_0000L);
        double exponent = (double) ((bits >>> 52 & 0x7FF) - (EXPONENT_BIAS - 1));
        if (fraction <= Math.sqrt(0.5)) {
            exponent -= 1;
            fraction *= 2;
        }
        double f = fraction - 1;
        double s = f / (2 + f);
        double s2 = s * s;
        double s4 = s2 * s2;
        double odd = s2 * polynomial(LOG_ODD, s4);
        double even = s4 * polynomial(LOG_EVEN, s4);
        double half = 0.5 * f * f;
        return exponent * LOG_LN2_UPPER - (half - (s * (half + (odd + even)) + exponent * LOG_LN2_LOWER) - f);
    }

    private static double polynomial(double[] coefficients, double x) {
        double sum = coefficients[0];
        for (int i = 1; i < coefficients.length; i++) {
            sum = sum * x + coefficients[i];
        }
        return sum;
    }

    /** Returns x, from 0 to 1, to the power of y, which is not negative and may be infinite. */
    static double pow(double x, double y) {
        if (y == 0 || x == 1) {
            return 1;
        }
        if (x == 0 || Double.isInfinite(y)) {
            return 0;
        }
        if (y == 1 || y == 0.5) {
            return y == 1 ? x : Math.sqrt(x);
        }
        double whole = Math.floor(y);
        if (whole >= 0x1p63) {
            return 0;
        }
        double fraction = y - whole;
        double result = 1;
        if (fraction > 0.5) {
            fraction--;
            whole++;
        }
        if (fraction != 0) {
            result = exp(fraction * log(x));
        }
        // Multiplies the squares of x; exponents of two are added separately.
        int exponent = Math.getExponent(x) + 1;
        double mantissa = Math.scalb(x, -exponent);
        if (mantissa < 0.5) {
            int shift = Math.getExponent(mantissa) + 1;
            mantissa = Math.scalb(mantissa, -shift);
            exponent += shift;
        }
        long sumOfExponents = 0;
        long squareExponent = exponent;
        for (long left = (long) whole; left != 0; left >>= 1) {
            if (squareExponent < -4096) {
                return 0;
            }
            if ((left & 1) == 1) {
                result *= mantissa;
                sumOfExponents += squareExponent;
            }
            mantissa *= mantissa;
            squareExponent <<= 1;
            if (mantissa < 0.5) {
                mantissa += mantissa;
                squareExponent--;
            }
        }
        return Math.scalb(result, (int) Math.max(sumOfExponents, -4096));
    }
}
