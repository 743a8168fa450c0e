// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as kube-scheduler's configuration and flags write them: {@code 15s}, {@code 1h30m}, {@code 100ms}. */
public final class GoDuration {
    private static final Pattern WHOLE = Pattern.compile("[-+]?(?:(?:\\d+\\.?\\d*|\\.\\d+)(?:ns|us|µs|μs|ms|s|m|h))+");
    private static final Pattern PART = Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");
    private static final Map<String, Long> NANOS_BY_UNIT = Map.of(
            "ns", 1L,
            "us", 1_000L,
            "µs", 1_000L,
            "μs", 1_000L,
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L);
    private static final BigDecimal LONGEST = BigDecimal.valueOf(Long.MAX_VALUE);

    private GoDuration() {}

    /** Returns the duration that the text stands for, or empty if it is not one, or one of more than 292 years. */
    public static Optional<Duration> parse(String text) {
        if (text.equals("0") || text.equals("+0") || text.equals("-0")) {
            return Optional.of(Duration.ZERO);
        }
        if (!WHOLE.matcher(text).matches()) {
            return Optional.empty();
        }
        BigDecimal nanos = BigDecimal.ZERO;
        Matcher part = PART.matcher(text);
        while (part.find()) {
            long unit = NANOS_BY_UNIT.getOrDefault(part.group(2), 0L);
            BigDecimal amount = new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unit));
            nanos = nanos.add(amount.setScale(0, RoundingMode.DOWN));
        }
        if (nanos.compareTo(LONGEST) > 0) {
            return Optional.empty();
        }
        Duration duration = Duration.ofNanos(nanos.longValueExact());
        return Optional.of(text.startsWith("-") ? duration.negated() : duration);
    }

    /** Returns the text for a duration: {@code 10m0s}, {@code 1.5s}, {@code 100ms}, {@code 0s}. */
    public static String format(Duration duration) {
        if (duration.isNegative()) {
            return "-" + format(duration.negated());
        }
        long seconds = duration.toSeconds();
        int nanos = duration.getNano();
        if (seconds == 0) {
            if (nanos == 0) {
                return "0s";
            }
            if (nanos < 1_000) {
                return nanos + "ns";
            }
            return nanos < 1_000_000 ? decimal(nanos, 1_000) + "µs" : decimal(nanos, 1_000_000) + "ms";
        }
        String rest = BigDecimal.valueOf(seconds % 60)
                        .add(BigDecimal.valueOf(nanos, 9))
                        .stripTrailingZeros()
                        .toPlainString()
                + "s";
        long minutes = seconds / 60;
        if (minutes == 0) {
            return rest;
        }
        return minutes < 60 ? minutes + "m" + rest : minutes / 60 + "h" + minutes % 60 + "m" + rest;
    }

    private static String decimal(int nanos, int unit) {
        return BigDecimal.valueOf(nanos)
                .divide(BigDecimal.valueOf(unit))
                .stripTrailingZeros()
                .toPlainString();
    }
}
