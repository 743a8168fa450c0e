// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.moorage.api.model.Quantity;

/** Quantities such as {@code 16Gi}. */
final class QuantityLibrary {
    static final OpaqueType TYPE = OpaqueType.create("kubernetes.Quantity");
    private static final String FORM = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
    private static final Pattern FORM_PATTERN = Pattern.compile(FORM);

    private QuantityLibrary() {}

    static void addTo(Functions functions) {
        List<CelType> text = List.of(SimpleType.STRING);
        List<CelType> one = List.of(TYPE);
        List<CelType> two = List.of(TYPE, TYPE);
        List<CelType> withNumber = List.of(TYPE, SimpleType.INT);
        functions.extension("quantity").global("string_to_quantity", TYPE, text, a -> parse((String) a[0]));
        functions
                .extension("isQuantity")
                .global("is_quantity_string", SimpleType.BOOL, text, a -> isOne((String) a[0]));
        functions.extension("sign").global("quantity_sign", SimpleType.INT, one, a ->
                (long) of(a[0]).compareTo(Quantity.ZERO));
        functions
                .extension("isInteger")
                .member(
                        "quantity_is_integer",
                        SimpleType.BOOL,
                        one,
                        a -> exact(of(a[0])).isPresent());
        functions
                .extension("asInteger")
                .member(
                        "quantity_get_int",
                        SimpleType.INT,
                        one,
                        a -> exact(of(a[0]))
                                .<Object>map(value -> value)
                                .orElse(new Failure("cannot convert value to integer")));
        functions
                .extension("asApproximateFloat")
                .member(
                        "quantity_get_float",
                        SimpleType.DOUBLE,
                        one,
                        a -> new BigDecimal(of(a[0]).toString()).doubleValue());
        functions
                .extension("isGreaterThan")
                .member("quantity_is_greater_than", SimpleType.BOOL, two, a -> of(a[0]).compareTo(of(a[1])) > 0);
        functions
                .extension("isLessThan")
                .member("quantity_is_less_than", SimpleType.BOOL, two, a -> of(a[0]).compareTo(of(a[1])) < 0);
        functions.extension("compareTo").member("quantity_compare_to", SimpleType.INT, two, a ->
                (long) Integer.signum(of(a[0]).compareTo(of(a[1]))));
        functions
                .extension("add")
                .member("quantity_add", TYPE, two, a -> of(a[0]).plus(of(a[1])))
                .member("quantity_add_int", TYPE, withNumber, a -> of(a[0]).plus(Quantity.of((Long) a[1])));
        functions
                .extension("sub")
                .member("quantity_sub", TYPE, two, a -> of(a[0]).minus(of(a[1])))
                .member("quantity_sub_int", TYPE, withNumber, a -> of(a[0]).minus(Quantity.of((Long) a[1])));
    }

    private static Quantity of(Object value) {
        return (Quantity) value;
    }

    private static Object parse(String text) {
        try {
            return Quantity.parse(text);
        } catch (IllegalArgumentException invalid) {
            return new Failure(
                    FORM_PATTERN.matcher(text).matches()
                            ? "unable to parse quantity's suffix"
                            : "quantities must match the regular expression '" + FORM + "'");
        }
    }

    private static boolean isOne(String text) {
        return !(parse(text) instanceof Failure);
    }

    private static Optional<Long> exact(Quantity quantity) {
        long value = quantity.value();
        return Quantity.of(value).equals(quantity) ? Optional.of(value) : Optional.empty();
    }
}
