// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.TypeParamType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Values that may be missing. The library of the compiler declares the functions. */
final class OptionalLibrary {
    private OptionalLibrary() {}

    static void addTo(Functions functions) {
        functions.standard("optional.of").all(a -> Optional.of(a[0]));
        functions.standard("optional.ofNonZeroValue").all(a -> isZero(a[0]) ? Optional.empty() : Optional.of(a[0]));
        functions.standard("optional.none").all(a -> Optional.empty());
        functions
                .standard("value")
                .all(a -> a[0] instanceof Optional<?> optional && optional.isPresent()
                        ? optional.get()
                        : new Failure("optional.none() dereference"));
        functions.standard("hasValue").all(a -> a[0] instanceof Optional<?> optional && optional.isPresent());
        functions
                .standard("first")
                .all(a ->
                        a[0] instanceof List<?> list && !list.isEmpty() ? Optional.of(list.get(0)) : Optional.empty());
        functions
                .standard("last")
                .all(a -> a[0] instanceof List<?> list && !list.isEmpty()
                        ? Optional.of(list.get(list.size() - 1))
                        : Optional.empty());
        functions.standard("optional.unwrap").all(a -> present((List<?>) a[0]));
        TypeParamType type = TypeParamType.create("V");
        functions
                .extension("unwrapOpt")
                .member(
                        "optional_unwrapOpt",
                        ListType.create(type),
                        List.of(ListType.create(OptionalType.create(type))),
                        a -> present((List<?>) a[0]));
    }

    private static boolean isZero(Object value) {
        return value instanceof NullValue
                || value.equals(false)
                || Numbers.isNumber(value) && Numbers.areEqual(value, 0L)
                || value.equals("")
                || value.equals(CelByteString.EMPTY)
                || value.equals(java.time.Duration.ZERO)
                || value instanceof List<?> list && list.isEmpty()
                || value instanceof Map<?, ?> map && map.isEmpty();
    }

    private static Object present(List<?> optionals) {
        List<Object> present = new ArrayList<>();
        for (Object element : optionals) {
            if (!(element instanceof Optional<?> optional)) {
                return new Failure("value " + Values.text(element) + " is not optional");
            }
            optional.ifPresent(present::add);
        }
        return present;
    }
}
