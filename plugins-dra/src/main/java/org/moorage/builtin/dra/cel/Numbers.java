// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.primitives.UnsignedLong;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** Whole numbers, unsigned ones and fractions, which are compared with each other by value. */
final class Numbers {
    private static final BigInteger MAX_UNSIGNED = UnsignedLong.MAX_VALUE.bigIntegerValue();

    private Numbers() {}

    static boolean isNumber(Object value) {
        return value instanceof Long || value instanceof Double || value instanceof UnsignedLong;
    }

    static boolean areEqual(Object one, Object other) {
        return Integer.valueOf(0).equals(compare(one, other));
    }

    /** The order as an Integer, or why there is none. */
    static Object compare(Object one, Object other) {
        if (one instanceof Long first && other instanceof Long second) {
            return Long.compare(first, second);
        }
        if (isNan(one) || isNan(other)) {
            return new Failure("NaN values cannot be ordered");
        }
        if (one instanceof Double first && other instanceof Double second) {
            return first < second ? -1 : first > second ? 1 : 0;
        }
        if (one instanceof Double first) {
            return compareWith(first, other);
        }
        if (other instanceof Double second) {
            return -compareWith(second, one);
        }
        return whole(one).compareTo(whole(other));
    }

    // The whole number is taken as the fraction next to it, unless the fraction is out of its range.
    private static int compareWith(double fraction, Object whole) {
        boolean isSigned = whole instanceof Long;
        if (fraction < (isSigned ? -0x1p63 : 0)) {
            return -1;
        }
        if (fraction > (isSigned ? 0x1p63 : 0x1p64)) {
            return 1;
        }
        double other = whole(whole).doubleValue();
        return fraction < other ? -1 : fraction > other ? 1 : 0;
    }

    private static boolean isNan(Object value) {
        return value instanceof Double number && number.isNaN();
    }

    private static BigInteger whole(Object value) {
        return value instanceof UnsignedLong unsigned ? unsigned.bigIntegerValue() : BigInteger.valueOf((Long) value);
    }

    /** The whole number that a number is, if it is one that an index can be. */
    static @Nullable Long asIndex(Object value) {
        if (value instanceof Double number) {
            long truncated = (long) (double) number;
            return number == truncated && Math.abs(number) < 0x1p63 ? truncated : null;
        }
        BigInteger whole = whole(value);
        return whole.bitLength() < 64 ? whole.longValue() : null;
    }

    static Object plus(Object one, Object other) {
        if (one instanceof Long first && other instanceof Long second) {
            long sum = first + second;
            return ((first ^ sum) & (second ^ sum)) < 0 ? overflow() : (Object) sum;
        }
        if (one instanceof UnsignedLong first && other instanceof UnsignedLong second) {
            return unsigned(first.bigIntegerValue().add(second.bigIntegerValue()));
        }
        return one instanceof Double first && other instanceof Double second
                ? (Object) (first + second)
                : Failure.NO_OVERLOAD;
    }

    static Object minus(Object one, Object other) {
        if (one instanceof Long first && other instanceof Long second) {
            long difference = first - second;
            return ((first ^ second) & (first ^ difference)) < 0 ? overflow() : (Object) difference;
        }
        if (one instanceof UnsignedLong first && other instanceof UnsignedLong second) {
            return unsigned(first.bigIntegerValue().subtract(second.bigIntegerValue()));
        }
        return one instanceof Double first && other instanceof Double second
                ? (Object) (first - second)
                : Failure.NO_OVERLOAD;
    }

    static Object times(Object one, Object other) {
        if (one instanceof Long first && other instanceof Long second) {
            BigInteger product = BigInteger.valueOf(first).multiply(BigInteger.valueOf(second));
            return product.bitLength() < 64 ? (Object) product.longValue() : overflow();
        }
        if (one instanceof UnsignedLong first && other instanceof UnsignedLong second) {
            return unsigned(first.bigIntegerValue().multiply(second.bigIntegerValue()));
        }
        return one instanceof Double first && other instanceof Double second
                ? (Object) (first * second)
                : Failure.NO_OVERLOAD;
    }

    static Object dividedBy(Object one, Object other) {
        if (one instanceof Long first && other instanceof Long second) {
            if (second == 0) {
                return new Failure("division by zero");
            }
            return first == Long.MIN_VALUE && second == -1 ? overflow() : (Object) (first / second);
        }
        if (one instanceof UnsignedLong first && other instanceof UnsignedLong second) {
            return second.equals(UnsignedLong.ZERO) ? new Failure("division by zero") : first.dividedBy(second);
        }
        return one instanceof Double first && other instanceof Double second
                ? (Object) (first / second)
                : Failure.NO_OVERLOAD;
    }

    static Object modulo(Object one, Object other) {
        if (one instanceof Long first && other instanceof Long second) {
            if (second == 0) {
                return new Failure("modulus by zero");
            }
            return first == Long.MIN_VALUE && second == -1 ? overflow() : (Object) (first % second);
        }
        if (one instanceof UnsignedLong first && other instanceof UnsignedLong second) {
            return second.equals(UnsignedLong.ZERO) ? new Failure("modulus by zero") : first.mod(second);
        }
        return Failure.NO_OVERLOAD;
    }

    static Failure overflow() {
        return new Failure("integer overflow");
    }

    private static Object unsigned(BigInteger value) {
        return value.signum() < 0 || value.compareTo(MAX_UNSIGNED) > 0
                ? new Failure("unsigned integer overflow")
                : UnsignedLong.valueOf(value);
    }

    static Object toInt(double value) {
        // The bounds are excluded, since they cannot be told from what lies beyond them.
        return Double.isNaN(value) || Double.isInfinite(value) || value <= -0x1p63 || value >= 0x1p63
                ? overflow()
                : (Object) (long) value;
    }

    static Object toUnsigned(double value) {
        return Double.isNaN(value) || Double.isInfinite(value) || value < 0 || value >= 0x1p64
                ? new Failure("unsigned integer overflow")
                : UnsignedLong.valueOf(new BigDecimal(value).toBigInteger());
    }

    static Object toInt(UnsignedLong value) {
        return value.bigIntegerValue().bitLength() > 63 ? overflow() : (Object) value.longValue();
    }

    static Object toUnsigned(long value) {
        return value < 0 ? new Failure("unsigned integer overflow") : UnsignedLong.valueOf(value);
    }

    /** The shortest text that is read as the same number, with an exponent where Go's {@code %g} has one. */
    static String shortest(double value) {
        String special = special(value);
        if (special != null) {
            return special;
        }
        BigDecimal decimal = decimal(value);
        int exponent = decimal.precision() - decimal.scale() - 1;
        if (decimal.signum() == 0 || exponent >= -4 && exponent < 6) {
            return (isNegativeZero(value) ? "-" : "") + plain(decimal);
        }
        String digits = decimal.unscaledValue().abs().toString();
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return (value < 0 ? "-" : "")
                + mantissa
                + (exponent < 0 ? "e-" : "e+")
                + (Math.abs(exponent) < 10 ? "0" : "")
                + Math.abs(exponent);
    }

    /** The shortest text without an exponent. */
    static String plain(double value) {
        String special = special(value);
        return special != null ? special : (isNegativeZero(value) ? "-" : "") + plain(decimal(value));
    }

    private static boolean isNegativeZero(double value) {
        return value == 0 && 1 / value < 0;
    }

    private static String plain(BigDecimal decimal) {
        return decimal.signum() == 0 ? "0" : decimal.toPlainString();
    }

    private static @Nullable String special(double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        return Double.isInfinite(value) ? (value < 0 ? "-Inf" : "+Inf") : null;
    }

    private static BigDecimal decimal(double value) {
        // Double.toString before JDK 19 sometimes has a digit too many.
        for (int digits = 1; digits < 17; digits++) {
            BigDecimal rounded = new BigDecimal(value).round(new java.math.MathContext(digits, RoundingMode.HALF_EVEN));
            if (rounded.doubleValue() == value) {
                return rounded.stripTrailingZeros();
            }
        }
        return new BigDecimal(value)
                .round(new java.math.MathContext(17, RoundingMode.HALF_EVEN))
                .stripTrailingZeros();
    }
}
