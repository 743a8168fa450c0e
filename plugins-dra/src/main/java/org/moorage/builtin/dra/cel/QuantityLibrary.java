// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.DOUBLE;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static org.moorage.builtin.dra.cel.Functions.QUANTITY;
import static org.moorage.builtin.dra.cel.Functions.SEMVER;

import java.math.BigDecimal;
import java.util.List;
import org.moorage.api.model.Quantity;

/** Quantities such as {@code 16Gi}, and versions such as {@code 1.10.0}. */
final class QuantityLibrary {
    private QuantityLibrary() {}

    static void addTo(Functions functions) {
        functions.global("quantity", QUANTITY, String.class, Quantity::parse);
        functions.global("isQuantity", BOOL, String.class, text -> isOne(() -> Quantity.parse(text)));
        functions.global("sign", INT, Quantity.class, quantity -> (long) quantity.compareTo(Quantity.ZERO));
        functions.member("isInteger", BOOL, Quantity.class, QuantityLibrary::isInteger);
        functions.member("asInteger", INT, Quantity.class, quantity -> {
            if (!isInteger(quantity)) {
                throw new IllegalArgumentException("cannot convert value to integer");
            }
            return quantity.value();
        });
        functions.member(
                "asApproximateFloat",
                DOUBLE,
                Quantity.class,
                quantity -> new BigDecimal(quantity.toString()).doubleValue());
        functions.member("add", QUANTITY, Quantity.class, Quantity.class, Quantity::plus);
        functions.member("add", QUANTITY, Quantity.class, Long.class, (one, added) -> one.plus(Quantity.of(added)));
        functions.member("sub", QUANTITY, Quantity.class, Quantity.class, Quantity::minus);
        functions.member("sub", QUANTITY, Quantity.class, Long.class, (one, taken) -> one.minus(Quantity.of(taken)));
        addOrder(functions, Quantity.class);
        functions.global("semver", SEMVER, String.class, SemanticVersion::parse);
        functions.global("semver", SEMVER, List.of(STRING, BOOL), QuantityLibrary::version);
        functions.global("isSemver", BOOL, String.class, text -> isOne(() -> SemanticVersion.parse(text)));
        functions.global("isSemver", BOOL, List.of(STRING, BOOL), a -> isOne(() -> version(a)));
        functions.member("major", INT, SemanticVersion.class, SemanticVersion::major);
        functions.member("minor", INT, SemanticVersion.class, SemanticVersion::minor);
        functions.member("patch", INT, SemanticVersion.class, SemanticVersion::patch);
        addOrder(functions, SemanticVersion.class);
    }

    private static <T extends Comparable<T>> void addOrder(Functions functions, Class<T> type) {
        functions.member("isGreaterThan", BOOL, type, type, (one, other) -> one.compareTo(other) > 0);
        functions.member("isLessThan", BOOL, type, type, (one, other) -> one.compareTo(other) < 0);
        functions.member("compareTo", INT, type, type, (one, other) -> (long) Integer.signum(one.compareTo(other)));
    }

    private static boolean isInteger(Quantity quantity) {
        return Quantity.of(quantity.value()).equals(quantity);
    }

    private static SemanticVersion version(Object[] textAndTolerance) {
        String text = (String) textAndTolerance[0];
        return (Boolean) textAndTolerance[1] ? SemanticVersion.parseTolerantly(text) : SemanticVersion.parse(text);
    }

    /** Returns whether a parser accepts its text. */
    static boolean isOne(Runnable read) {
        try {
            read.run();
            return true;
        } catch (IllegalArgumentException invalid) {
            return false;
        }
    }
}
