// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations, of nanoseconds that fit 64 bits, and points in time. */
final class Times {
    private static final long FIRST_SECOND = -62_135_596_800L;
    private static final long LAST_SECOND = 253_402_300_799L;
    private static final Pattern PART = Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)");
    private static final Map<String, Long> NANOS = Map.of(
            "ns", 1L,
            "us", 1_000L,
            "\u00b5s", 1_000L,
            "\u03bcs", 1_000L,
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L);
    private static final Pattern TIME =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d?\\d:\\d\\d:\\d\\d([.,]\\d+)?" + "(Z|[+-]\\d\\d:\\d\\d)");

    private Times() {}

    static void addTo(Functions functions) {
        Function duration = functions.standard("duration");
        duration.global("duration_to_duration", SimpleType.DURATION, List.of(SimpleType.DURATION), a -> a[0]);
        duration.global(
                "int64_to_duration",
                SimpleType.DURATION,
                List.of(SimpleType.INT),
                a -> StandardLibrary.unconvertible("int", "google.protobuf.Duration"));
        duration.global(
                "string_to_duration",
                SimpleType.DURATION,
                List.of(SimpleType.STRING),
                a -> parseDuration((String) a[0]));
        Function timestamp = functions.standard("timestamp");
        timestamp.global("timestamp_to_timestamp", SimpleType.TIMESTAMP, List.of(SimpleType.TIMESTAMP), a -> a[0]);
        timestamp.global("int64_to_timestamp", SimpleType.TIMESTAMP, List.of(SimpleType.INT), a -> at((Long) a[0]));
        timestamp.global(
                "string_to_timestamp", SimpleType.TIMESTAMP, List.of(SimpleType.STRING), a -> parseTime((String) a[0]));
        field(functions, "getFullYear", "year", ZonedDateTime::getYear);
        field(functions, "getMonth", "month", time -> time.getMonthValue() - 1);
        field(functions, "getDayOfYear", "day_of_year", time -> time.getDayOfYear() - 1);
        field(functions, "getDayOfMonth", "day_of_month", time -> time.getDayOfMonth() - 1);
        field(functions, "getDate", "day_of_month_1_based", ZonedDateTime::getDayOfMonth);
        field(
                functions,
                "getDayOfWeek",
                "day_of_week",
                time -> time.getDayOfWeek().getValue() % 7);
        field(functions, "getHours", "hours", ZonedDateTime::getHour);
        field(functions, "getMinutes", "minutes", ZonedDateTime::getMinute);
        field(functions, "getSeconds", "seconds", ZonedDateTime::getSecond);
        field(functions, "getMilliseconds", "milliseconds", time -> time.getNano() / 1_000_000);
        part(functions, "getHours", "hours", Duration::toHours);
        part(functions, "getMinutes", "minutes", Duration::toMinutes);
        part(functions, "getSeconds", "seconds", Duration::toSeconds);
        part(functions, "getMilliseconds", "milliseconds", Duration::toMillis);
    }

    /** What {@code duration} or {@code timestamp} makes of a constant. */
    static Object converted(String function, Object constant) {
        if (function.equals("duration")) {
            return constant instanceof String text
                    ? parseDuration(text)
                    : StandardLibrary.unconvertible("int", "google.protobuf.Duration");
        }
        return constant instanceof String text ? parseTime(text) : at((Long) constant);
    }

    private static void field(Functions functions, String name, String id, ToLongFunction<ZonedDateTime> field) {
        List<CelType> one = List.of(SimpleType.TIMESTAMP);
        List<CelType> two = List.of(SimpleType.TIMESTAMP, SimpleType.STRING);
        functions
                .standard(name)
                .member(
                        "timestamp_to_" + id,
                        SimpleType.INT,
                        one,
                        a -> field.applyAsLong(((OffsetDateTime) a[0]).atZoneSameInstant(ZoneOffset.UTC)))
                .member(
                        "timestamp_to_" + id + "_with_tz",
                        SimpleType.INT,
                        two,
                        a -> field.applyAsLong(((OffsetDateTime) a[0]).atZoneSameInstant(zone((String) a[1]))));
    }

    // Truncates towards zero, as Go does.
    private static void part(Functions functions, String name, String id, ToLongFunction<Duration> part) {
        functions.standard(name).member("duration_to_" + id, SimpleType.INT, List.of(SimpleType.DURATION), a -> {
            Duration duration = (Duration) a[0];
            return duration.isNegative() ? -part.applyAsLong(duration.negated()) : part.applyAsLong(duration);
        });
    }

    private static ZoneId zone(String name) {
        int colon = name.indexOf(':');
        if (colon < 0) {
            try {
                return name.isEmpty() ? ZoneOffset.UTC : ZoneId.of(name);
            } catch (DateTimeException unknown) {
                throw new IllegalArgumentException("unknown time zone " + name, unknown);
            }
        }
        int hours = number(name.substring(0, colon));
        int minutes = number(name.substring(colon + 1));
        int offset = hours * 60 + (name.startsWith("-") ? -minutes : minutes);
        return ZoneOffset.ofTotalSeconds(offset * 60);
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException none) {
            throw new IllegalArgumentException(
                    "strconv.Atoi: parsing " + Texts.quoted(text) + ": invalid syntax", none);
        }
    }

    private static Object at(long second) {
        return second < FIRST_SECOND || second > LAST_SECOND
                ? new Failure("timestamp overflow")
                : Instant.ofEpochSecond(second).atOffset(ZoneOffset.UTC);
    }

    private static Object parseTime(String text) {
        if (!TIME.matcher(text).matches()) {
            return StandardLibrary.unconvertible("string", "google.protobuf.Timestamp");
        }
        try {
            OffsetDateTime time = OffsetDateTime.parse(text.replace(',', '.'));
            return time.toEpochSecond() < FIRST_SECOND || time.toEpochSecond() > LAST_SECOND
                    ? new Failure("timestamp overflow")
                    : time;
        } catch (DateTimeException invalid) {
            return StandardLibrary.unconvertible("string", "google.protobuf.Timestamp");
        }
    }

    private static Object parseDuration(String text) {
        Failure invalid = StandardLibrary.unconvertible("string", "google.protobuf.Duration");
        String parts = text.replaceFirst("^[+-]", "");
        if (parts.equals("0")) {
            return Duration.ZERO;
        }
        BigDecimal nanos = BigDecimal.ZERO;
        Matcher matcher = PART.matcher(parts);
        int at = 0;
        while (at < parts.length() && matcher.find(at) && matcher.start() == at) {
            BigDecimal amount =
                    new BigDecimal(matcher.group(1).startsWith(".") ? "0" + matcher.group(1) : matcher.group(1));
            Long unit = NANOS.get(matcher.group(2));
            nanos = nanos.add(new BigDecimal(
                    amount.multiply(BigDecimal.valueOf(unit == null ? 0 : unit)).toBigInteger()));
            at = matcher.end();
        }
        if (at == 0 || at < parts.length()) {
            return invalid;
        }
        BigDecimal signed = text.startsWith("-") ? nanos.negate() : nanos;
        return signed.toBigInteger().bitLength() > 63 ? invalid : Duration.ofNanos(signed.longValueExact());
    }

    static Object plus(Object one, Object other) {
        if (one instanceof Duration duration && other instanceof Duration added) {
            return inRange(duration.plus(added));
        }
        if (one instanceof OffsetDateTime time && other instanceof Duration added) {
            return inRange(time, added);
        }
        return one instanceof Duration added && other instanceof OffsetDateTime time
                ? inRange(time, added)
                : Failure.NO_OVERLOAD;
    }

    static Object minus(Object one, Object other) {
        if (one instanceof Duration duration && other instanceof Duration taken) {
            return inRange(duration.minus(taken));
        }
        if (one instanceof OffsetDateTime time && other instanceof Duration taken) {
            return inRange(time, taken.negated());
        }
        return one instanceof OffsetDateTime time && other instanceof OffsetDateTime since
                ? inRange(Duration.between(since, time))
                : Failure.NO_OVERLOAD;
    }

    private static Object inRange(Duration duration) {
        try {
            long unused = duration.toNanos();
            return unused == 0 ? Duration.ZERO : duration;
        } catch (ArithmeticException tooLong) {
            return Numbers.overflow();
        }
    }

    private static Object inRange(OffsetDateTime time, Duration added) {
        Instant moved = time.toInstant().plus(added);
        return moved.getEpochSecond() < FIRST_SECOND || moved.getEpochSecond() > LAST_SECOND
                ? new Failure("timestamp overflow")
                : moved.atOffset(time.getOffset());
    }

    static String text(Duration duration) {
        return Numbers.plain(duration.getSeconds() + duration.getNano() / 1e9) + "s";
    }

    static String text(OffsetDateTime time) {
        String fraction = time.getNano() == 0
                ? ""
                : String.format(".%09d", time.getNano()).replaceFirst("0+$", "");
        return String.format(
                "%04d-%02d-%02dT%02d:%02d:%02d%s%s",
                time.getYear(),
                time.getMonthValue(),
                time.getDayOfMonth(),
                time.getHour(),
                time.getMinute(),
                time.getSecond(),
                fraction,
                time.getOffset());
    }
}
