// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.styra.opa.wasm.OpaBuiltin;
import com.styra.opa.wasm.OpaWasm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code units.parse} and {@code units.parse_bytes}, which compiled policies do not contain: they convert quantities to
 * numbers by OPA's own rules for units. An invalid quantity is undefined. Each object belongs to one instance of a
 * policy.
 */
final class QuantityBuiltin implements OpaBuiltin.Builtin {
    private static final ObjectMapper JSON = new JsonMapper();
    private static final Pattern AMOUNT =
            Pattern.compile("([+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?)([A-Za-z]*)");
    private static final String PREFIXES = "kmgtpe";
    private static final int UNDEFINED = 0;
    private static final int FRACTION_DIGITS = 10;
    private static final int MOST_KNOWN = 10_000;

    private final boolean isBytes;
    // Caches results, since the same few amounts occur on all nodes.
    private final Map<String, Optional<String>> known = new HashMap<>();

    private QuantityBuiltin(boolean isBytes) {
        this.isBytes = isBytes;
    }

    static OpaBuiltin.Builtin[] all() {
        return new OpaBuiltin.Builtin[] {new QuantityBuiltin(false), new QuantityBuiltin(true)};
    }

    @Override
    public String name() {
        return isBytes ? "units.parse_bytes" : "units.parse";
    }

    @Override
    public int asBuiltin1(OpaWasm instance, int operand) {
        Optional<String> result = result(instance.readString(operand));
        return result.isPresent() ? instance.writeResult(result.get()) : UNDEFINED;
    }

    private Optional<String> result(String json) {
        Optional<String> result = known.get(json);
        if (result == null) {
            if (known.size() >= MOST_KNOWN) {
                known.clear();
            }
            try {
                var operand = JSON.readTree(json);
                result = operand.isTextual() ? parse(operand.textValue(), isBytes) : Optional.empty();
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
            known.put(json, result);
        }
        return result;
    }

    /** Returns the number as JSON text; empty if the quantity is invalid. */
    static Optional<String> parse(String quantity, boolean isBytes) {
        Matcher matcher = AMOUNT.matcher(quantity.replace("\"", ""));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        Optional<BigDecimal> factor = isBytes ? bytes(matcher.group(2)) : factor(matcher.group(2));
        return factor.map(unit -> {
            BigDecimal value = new BigDecimal(matcher.group(1)).multiply(unit);
            BigDecimal shown = isBytes
                    ? value.setScale(0, RoundingMode.DOWN)
                    : value.setScale(FRACTION_DIGITS, RoundingMode.HALF_UP);
            return shown.signum() == 0 ? "0" : shown.stripTrailingZeros().toPlainString();
        });
    }

    // "m" is a thousandth and "M" a million; all other units ignore case.
    private static Optional<BigDecimal> factor(String unit) {
        if (unit.equals("m")) {
            return Optional.of(new BigDecimal("0.001"));
        }
        String small = unit.toLowerCase(Locale.ROOT);
        return small.endsWith("b") ? Optional.empty() : scale(small);
    }

    private static Optional<BigDecimal> bytes(String unit) {
        String small = unit.toLowerCase(Locale.ROOT);
        boolean isNamed = small.length() > 1 && small.endsWith("b");
        return scale(isNamed ? small.substring(0, small.length() - 1) : small);
    }

    private static Optional<BigDecimal> scale(String unit) {
        if (unit.isEmpty()) {
            return Optional.of(BigDecimal.ONE);
        }
        int power = PREFIXES.indexOf(unit.charAt(0)) + 1;
        boolean isBinary = unit.length() == 2 && unit.charAt(1) == 'i';
        if (power == 0 || unit.length() > 1 && !isBinary) {
            return Optional.empty();
        }
        return Optional.of(BigDecimal.valueOf(isBinary ? 1024 : 1000).pow(power));
    }
}
