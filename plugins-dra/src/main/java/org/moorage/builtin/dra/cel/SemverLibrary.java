// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import java.util.List;

/** Versions such as {@code 1.10.0}. */
final class SemverLibrary {
    static final OpaqueType TYPE = OpaqueType.create("kubernetes.Semver");

    private SemverLibrary() {}

    static void addTo(Functions functions) {
        List<CelType> text = List.of(SimpleType.STRING);
        List<CelType> textAndFlag = List.of(SimpleType.STRING, SimpleType.BOOL);
        List<CelType> one = List.of(TYPE);
        List<CelType> two = List.of(TYPE, TYPE);
        functions
                .extension("semver")
                .global("string_to_semver", TYPE, text, a -> SemanticVersion.parse((String) a[0]))
                .global("string_bool_to_semver", TYPE, textAndFlag, a -> parse((String) a[0], a[1]));
        functions
                .extension("isSemver")
                .global("is_semver_string", SimpleType.BOOL, text, a -> isOne((String) a[0], false))
                .global("is_semver_string_bool", SimpleType.BOOL, textAndFlag, a -> isOne((String) a[0], a[1]));
        functions
                .extension("major")
                .member(
                        "semver_major",
                        SimpleType.INT,
                        one,
                        a -> of(a[0]).major().longValue());
        functions
                .extension("minor")
                .member(
                        "semver_minor",
                        SimpleType.INT,
                        one,
                        a -> of(a[0]).minor().longValue());
        functions
                .extension("patch")
                .member(
                        "semver_patch",
                        SimpleType.INT,
                        one,
                        a -> of(a[0]).patch().longValue());
        functions
                .extension("isGreaterThan")
                .member("semver_is_greater_than", SimpleType.BOOL, two, a -> of(a[0]).compareTo(of(a[1])) > 0);
        functions
                .extension("isLessThan")
                .member("semver_is_less_than", SimpleType.BOOL, two, a -> of(a[0]).compareTo(of(a[1])) < 0);
        functions.extension("compareTo").member("semver_compare_to", SimpleType.INT, two, a ->
                (long) Integer.signum(of(a[0]).compareTo(of(a[1]))));
    }

    private static SemanticVersion of(Object value) {
        return (SemanticVersion) value;
    }

    private static SemanticVersion parse(String text, Object isTolerant) {
        return Values.isTrue(isTolerant) ? SemanticVersion.parseTolerantly(text) : SemanticVersion.parse(text);
    }

    private static boolean isOne(String text, Object isTolerant) {
        try {
            parse(text, isTolerant);
            return true;
        } catch (IllegalArgumentException notOne) {
            return false;
        }
    }
}
