// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.api.model.Quantity;
import org.moorage.objects.tree.Fields;

/** A quantity with the format that it was written in, in which the API server writes it again. */
record WrittenQuantity(Quantity amount, Format format) {
    /** The formats of quantities, under the API's names. */
    enum Format {
        DECIMAL_SI,
        BINARY_SI,
        DECIMAL_EXPONENT
    }

    private static final String[] DECIMAL_SUFFIXES = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    private static final String[] BINARY_SUFFIXES = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    private static final BigInteger BINARY_STEP = BigInteger.valueOf(1024);

    /** Returns the resource list in a field, sorted by resource name; empty if it is absent. */
    static Map<String, WrittenQuantity> list(Fields parent, String field) {
        Map<String, WrittenQuantity> amounts = new TreeMap<>();
        parent.pointer(field)
                .ifPresent(list ->
                        list.node().fieldNames().forEachRemaining(name -> amounts.put(name, of(list, name))));
        return amounts;
    }

    private static WrittenQuantity of(Fields list, String name) {
        Quantity amount = list.quantity(name);
        String text = list.node().path(name).asText().strip();
        Format format = Format.DECIMAL_SI;
        if (text.endsWith("i")) {
            format = Format.BINARY_SI;
        } else if (text.matches(".*[eE][-+]?[0-9]+")) {
            format = Format.DECIMAL_EXPONENT;
        }
        return new WrittenQuantity(amount, format);
    }

    /** Returns the sum, in the format of the first quantity that is not 0. */
    WrittenQuantity plus(WrittenQuantity other) {
        return new WrittenQuantity(amount.plus(other.amount), amount.isZero() ? other.format : format);
    }

    /** The larger of the two. */
    WrittenQuantity max(WrittenQuantity other) {
        return isLessThan(other) ? other : this;
    }

    boolean isLessThan(WrittenQuantity other) {
        return amount.compareTo(other.amount) < 0;
    }

    /** The quantity as the API server writes it. */
    String text() {
        if (amount.isZero()) {
            return "0";
        }
        BigDecimal exact = new BigDecimal(amount.toString()).stripTrailingZeros();
        if (format == Format.BINARY_SI
                && exact.scale() <= 0
                && exact.abs().toBigInteger().compareTo(BINARY_STEP) >= 0) {
            return binary(exact.toBigInteger());
        }
        int power = Math.floorDiv(-exact.scale(), 3);
        String digits = exact.movePointLeft(3 * power).toBigInteger().toString();
        if (format == Format.DECIMAL_EXPONENT) {
            return power == 0 ? digits : digits + "e" + 3 * power;
        }
        return digits + DECIMAL_SUFFIXES[power + 3];
    }

    private static String binary(BigInteger exact) {
        int power = 0;
        BigInteger digits = exact;
        while (digits.remainder(BINARY_STEP).signum() == 0) {
            digits = digits.divide(BINARY_STEP);
            power++;
        }
        return digits + BINARY_SUFFIXES[power];
    }

    /** The quantity as the value of a field. */
    JsonNode node() {
        return JsonNodeFactory.instance.textNode(text());
    }
}
