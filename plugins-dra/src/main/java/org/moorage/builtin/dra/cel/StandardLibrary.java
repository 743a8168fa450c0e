// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.CelByteString;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.IntPredicate;

/** Operators, conversions and functions of CEL itself. */
final class StandardLibrary {
    private StandardLibrary() {}

    static void addTo(Functions functions) {
        addOperators(functions);
        addConversions(functions);
        addTexts(functions);
        Times.addTo(functions);
    }

    private static void addOperators(Functions functions) {
        functions.standard("!_").all(a -> a[0] instanceof Boolean flag ? (Object) !flag : Failure.NO_OVERLOAD);
        functions.standard(Function.NOT_STRICTLY_FALSE).all(a -> a[0] instanceof Boolean ? a[0] : true);
        functions.standard("_==_").all(a -> Values.equal(a[0], a[1]));
        functions.standard("_!=_").all(a -> !Values.isTrue(Values.equal(a[0], a[1])));
        functions.standard("@in").all(a -> Values.isIn(a[0], a[1]));
        functions.standard("_in_").all(a -> Values.isIn(a[0], a[1]));
        functions.standard("size").all(a -> hasSize(a[0]) ? (Object) Values.size(a[0]) : unsupported("size", a[0]));
        functions.standard("type").all(a -> new Values.TypeValue(Values.typeName(a[0])));
        functions.standard("dyn").all(a -> a[0]);
        functions.standard("-_").all(a -> negated(a[0]));
        functions.standard("_+_").all(a -> plus(a[0], a[1]));
        functions.standard("_-_").all(a -> minus(a[0], a[1]));
        arithmetic(functions, "_*_", Numbers::times);
        arithmetic(functions, "_/_", Numbers::dividedBy);
        functions
                .standard("_%_")
                .all(a -> Numbers.isNumber(a[0]) && !(a[0] instanceof Double)
                        ? Numbers.modulo(a[0], a[1])
                        : unsupported("_%_", a[0]));
        order(functions, "_<_", order -> order < 0);
        order(functions, "_<=_", order -> order <= 0);
        order(functions, "_>_", order -> order > 0);
        order(functions, "_>=_", order -> order >= 0);
    }

    private static void arithmetic(Functions functions, String name, BinaryOperator<Object> operator) {
        functions
                .standard(name)
                .all(a -> Numbers.isNumber(a[0]) ? operator.apply(a[0], a[1]) : unsupported(name, a[0]));
    }

    private static void order(Functions functions, String name, IntPredicate isFulfilled) {
        functions.standard(name).all(a -> {
            if (!Values.isComparable(a[0])) {
                return unsupported(name, a[0]);
            }
            Object order = Values.compare(a[0], a[1]);
            return order instanceof Integer known ? (Object) isFulfilled.test(known) : order;
        });
    }

    private static boolean hasSize(Object value) {
        return switch (Values.typeName(value)) {
            case "string", "bytes", "list", "map" -> true;
            default -> false;
        };
    }

    // Values that have methods of their own are asked for the operator like for a method, and give the shorter answer.
    static Failure unsupported(String name, Object value) {
        return value instanceof String || value instanceof Duration || value instanceof OffsetDateTime
                ? Failure.NO_OVERLOAD
                : new Failure("no such overload: " + name);
    }

    private static Object negated(Object value) {
        if (value instanceof Long number) {
            return number == Long.MIN_VALUE ? Numbers.overflow() : (Object) (-number);
        }
        if (value instanceof Double number) {
            return -number;
        }
        if (value instanceof Boolean) {
            return Failure.NO_OVERLOAD;
        }
        return value instanceof Duration duration ? duration.negated() : unsupported("-_", value);
    }

    static Object plus(Object one, Object other) {
        if (Numbers.isNumber(one)) {
            return Numbers.plus(one, other);
        }
        if (one instanceof String text) {
            return other instanceof String added ? text.concat(added) : Failure.NO_OVERLOAD;
        }
        if (one instanceof CelByteString bytes) {
            return other instanceof CelByteString added ? bytes.concat(added) : Failure.NO_OVERLOAD;
        }
        if (one instanceof List<?> list) {
            return other instanceof List<?> added ? joined(list, added) : Failure.NO_OVERLOAD;
        }
        if (one instanceof Duration || one instanceof OffsetDateTime) {
            return Times.plus(one, other);
        }
        return unsupported("_+_", one);
    }

    private static List<?> joined(List<?> list, List<?> added) {
        if (list instanceof Growing.OfList growing) {
            growing.addAll(added);
            return growing;
        }
        if (list.isEmpty()) {
            return added;
        }
        List<Object> joined = new ArrayList<>(list.size() + added.size());
        joined.addAll(list);
        joined.addAll(added);
        return joined;
    }

    private static Object minus(Object one, Object other) {
        if (Numbers.isNumber(one)) {
            return Numbers.minus(one, other);
        }
        return one instanceof Duration || one instanceof OffsetDateTime
                ? Times.minus(one, other)
                : unsupported("_-_", one);
    }

    private static void addConversions(Functions functions) {
        Function.Body same = a -> a[0];
        conversion(functions, "bool", SimpleType.BOOL, "bool_to_bool", SimpleType.BOOL, same);
        conversion(
                functions, "bool", SimpleType.BOOL, "string_to_bool", SimpleType.STRING, a -> switch ((String) a[0]) {
                    case "1", "t", "T", "true", "TRUE", "True" -> true;
                    case "0", "f", "F", "false", "FALSE", "False" -> false;
                    default -> unconvertible("string", "bool");
                });
        conversion(functions, "bytes", SimpleType.BYTES, "bytes_to_bytes", SimpleType.BYTES, same);
        conversion(
                functions,
                "bytes",
                SimpleType.BYTES,
                "string_to_bytes",
                SimpleType.STRING,
                a -> CelByteString.copyFromUtf8((String) a[0]));
        conversion(functions, "double", SimpleType.DOUBLE, "double_to_double", SimpleType.DOUBLE, same);
        conversion(functions, "double", SimpleType.DOUBLE, "int64_to_double", SimpleType.INT, a ->
                (double) (long) (Long) a[0]);
        conversion(
                functions,
                "double",
                SimpleType.DOUBLE,
                "uint64_to_double",
                SimpleType.UINT,
                a -> ((UnsignedLong) a[0]).doubleValue());
        conversion(
                functions,
                "double",
                SimpleType.DOUBLE,
                "string_to_double",
                SimpleType.STRING,
                a -> toDouble((String) a[0]));
        conversion(functions, "int", SimpleType.INT, "int64_to_int64", SimpleType.INT, same);
        conversion(
                functions,
                "int",
                SimpleType.INT,
                "double_to_int64",
                SimpleType.DOUBLE,
                a -> Numbers.toInt((Double) a[0]));
        conversion(
                functions,
                "int",
                SimpleType.INT,
                "uint64_to_int64",
                SimpleType.UINT,
                a -> Numbers.toInt((UnsignedLong) a[0]));
        conversion(
                functions,
                "int",
                SimpleType.INT,
                "duration_to_int64",
                SimpleType.DURATION,
                a -> ((Duration) a[0]).toNanos());
        conversion(
                functions,
                "int",
                SimpleType.INT,
                "timestamp_to_int64",
                SimpleType.TIMESTAMP,
                a -> ((OffsetDateTime) a[0]).toEpochSecond());
        conversion(functions, "int", SimpleType.INT, "string_to_int64", SimpleType.STRING, a -> toInt((String) a[0]));
        conversion(functions, "uint", SimpleType.UINT, "uint64_to_uint64", SimpleType.UINT, same);
        conversion(
                functions,
                "uint",
                SimpleType.UINT,
                "int64_to_uint64",
                SimpleType.INT,
                a -> Numbers.toUnsigned((Long) a[0]));
        conversion(
                functions,
                "uint",
                SimpleType.UINT,
                "double_to_uint64",
                SimpleType.DOUBLE,
                a -> Numbers.toUnsigned((double) (Double) a[0]));
        conversion(
                functions,
                "uint",
                SimpleType.UINT,
                "string_to_uint64",
                SimpleType.STRING,
                a -> toUnsigned((String) a[0]));
        conversion(functions, "string", SimpleType.STRING, "string_to_string", SimpleType.STRING, same);
        for (CelType type : List.of(
                SimpleType.BOOL,
                SimpleType.INT,
                SimpleType.UINT,
                SimpleType.DOUBLE,
                SimpleType.DURATION,
                SimpleType.TIMESTAMP)) {
            String id = type.name().replace("google.protobuf.", "").toLowerCase(java.util.Locale.ROOT);
            conversion(
                    functions,
                    "string",
                    SimpleType.STRING,
                    (id.endsWith("int") ? id + "64" : id) + "_to_string",
                    type,
                    a -> toText(a[0]));
        }
        conversion(functions, "string", SimpleType.STRING, "bytes_to_string", SimpleType.BYTES, a -> {
            CelByteString bytes = (CelByteString) a[0];
            return bytes.isValidUtf8()
                    ? bytes.toStringUtf8()
                    : new Failure("invalid UTF-8 in bytes, cannot convert to string");
        });
    }

    private static void conversion(
            Functions functions, String name, CelType result, String id, CelType from, Function.Body body) {
        functions.standard(name).global(id, result, List.of(from), body);
    }

    static Failure unconvertible(String from, String to) {
        return new Failure("type conversion error from '" + from + "' to '" + to + "'");
    }

    private static Object toDouble(String text) {
        String plain = text.replaceFirst("^[+-]", "").toLowerCase(java.util.Locale.ROOT);
        if (plain.equals("inf") || plain.equals("infinity")) {
            return text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        if (plain.equals("nan")) {
            return plain.length() == text.length() ? (Object) Double.NaN : unconvertible("string", "double");
        }
        boolean isNumber = plain.matches("(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?")
                || plain.matches("0x([0-9a-f]+\\.?[0-9a-f]*|\\.[0-9a-f]+)p[+-]?\\d+");
        double value = isNumber ? Double.parseDouble(text) : Double.NaN;
        return isNumber && !Double.isInfinite(value) ? (Object) value : unconvertible("string", "double");
    }

    private static Object toInt(String text) {
        try {
            return text.matches("[+-]?[0-9]+") ? (Object) Long.parseLong(text) : unconvertible("string", "int");
        } catch (NumberFormatException tooLarge) {
            return unconvertible("string", "int");
        }
    }

    private static Object toUnsigned(String text) {
        try {
            return text.matches("[0-9]+") ? UnsignedLong.valueOf(text) : unconvertible("string", "uint");
        } catch (NumberFormatException tooLarge) {
            return unconvertible("string", "uint");
        }
    }

    /** A value as {@code string} gives it. */
    static String toText(Object value) {
        if (value instanceof Duration duration) {
            return Times.text(duration);
        }
        return value instanceof OffsetDateTime time ? Times.text(time) : Values.text(value);
    }

    private static void addTexts(Functions functions) {
        List<CelType> two = List.of(SimpleType.STRING, SimpleType.STRING);
        text(functions, "contains", two, (one, other) -> one.contains(other));
        text(functions, "startsWith", two, (one, other) -> one.startsWith(other));
        text(functions, "endsWith", two, (one, other) -> one.endsWith(other));
        functions.standard("matches").all(a -> {
            if (!(a[0] instanceof String text)) {
                return unsupported("matches", a[0]);
            }
            return a[1] instanceof String pattern
                    ? (Object) RegexLibrary.compiled(pattern, "").matcher(text).find()
                    : Failure.NO_OVERLOAD;
        });
    }

    private static void text(
            Functions functions,
            String name,
            List<CelType> types,
            java.util.function.BiPredicate<String, String> predicate) {
        functions
                .standard(name)
                .member(
                        name,
                        SimpleType.BOOL,
                        types,
                        a -> a[0] instanceof String one && a[1] instanceof String other
                                ? (Object) predicate.test(one, other)
                                : Failure.NO_OVERLOAD)
                .unchecked();
    }
}
