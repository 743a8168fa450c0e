// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import static dev.cel.common.types.SimpleType.DOUBLE;
import static dev.cel.common.types.SimpleType.DURATION;
import static dev.cel.common.types.SimpleType.DYN;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.TypeType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** CEL's own functions that behave differently in kube-scheduler's library, and functions of strings. */
final class StandardLibrary {
    private static final OpaqueType AUTHORIZER = OpaqueType.create("kubernetes.authorization.Authorizer");
    private static final String AUTHORIZER_FUNCTIONS =
            "path serviceAccount group resource subresource namespace name check"
                    + " allowed reason errored error fieldSelector labelSelector";
    private static final ListType TEXTS = ListType.create(STRING);

    private StandardLibrary() {}

    static void addTo(Functions functions) {
        functions.global("int", INT, Duration.class, Duration::toNanos);
        functions.instead("duration_to_milliseconds", List.of(DURATION), a -> ((Duration) a[0]).toMillis());
        functions.instead("double_to_string", List.of(DOUBLE), a -> TextFormat.shortest((Double) a[0]));
        // The library's function would return the type that the compiler knows.
        functions.instead("type", List.of(DYN), a -> TypeType.create(Functions.type(a[0])));
        // The library's function would evaluate its operand twice.
        functions.instead("select_optional_field", List.of(DYN, STRING), a -> field(a[0], a[1]));
        functions.instead("has", List.of(DYN, STRING), a -> field(a[0], a[1]).isPresent());
        functions.instead(
                "in_map",
                List.of(DYN, MapType.create(DYN, DYN)),
                a -> a[1] instanceof DeviceMap device
                        ? device.isKnown(a[0])
                        : ListLibrary.EQUALITY.findInMap((Map<?, ?>) a[1], a[0]).isPresent());
        // Device expressions have no authorizer, but the names of its functions are declared.
        for (String name : AUTHORIZER_FUNCTIONS.split(" ")) {
            functions.member(name, AUTHORIZER, List.of(AUTHORIZER), a -> a[0]);
        }
        functions.member("find", STRING, String.class, String.class, (text, pattern) -> {
            Matcher matcher = Pattern.compile(pattern).matcher(text);
            return matcher.find() ? matcher.group() : "";
        });
        functions.member("findAll", TEXTS, String.class, String.class, (text, pattern) -> findAll(text, pattern, -1));
        functions.member(
                "findAll",
                TEXTS,
                List.of(STRING, STRING, INT),
                a -> findAll((String) a[0], (String) a[1], (Long) a[2]));
        functions.member(
                "format",
                STRING,
                List.of(STRING, ListType.create(DYN)),
                a -> TextFormat.format((String) a[0], (List<?>) a[1]));
    }

    private static Optional<?> field(Object value, Object name) {
        if (value instanceof Optional<?> optional) {
            return optional.flatMap(present -> field(present, name));
        }
        return value instanceof Map<?, ?> map ? Optional.ofNullable(map.get(name)) : Optional.empty();
    }

    private static List<String> findAll(String text, String pattern, long limit) {
        List<String> found = new ArrayList<>();
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        int lastEnd = -1;
        while ((limit < 0 || found.size() < limit) && matcher.find()) {
            // Go does not take an empty match right after another one.
            if (matcher.end() != matcher.start() || matcher.start() != lastEnd) {
                found.add(matcher.group());
            }
            lastEnd = matcher.end();
        }
        return found;
    }
}
