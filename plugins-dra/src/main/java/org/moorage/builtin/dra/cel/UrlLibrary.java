// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import java.util.List;

/** URLs. */
final class UrlLibrary {
    static final OpaqueType TYPE = OpaqueType.create("kubernetes.URL");

    private UrlLibrary() {}

    static void addTo(Functions functions) {
        List<CelType> text = List.of(SimpleType.STRING);
        functions.extension("url").global("string_to_url", TYPE, text, a -> {
            try {
                return Url.parse((String) a[0]);
            } catch (IllegalArgumentException invalid) {
                return new Failure("URL parse error during conversion from string: " + invalid.getMessage());
            }
        });
        functions.extension("isURL").global("is_url_string", SimpleType.BOOL, text, a -> Url.isOne((String) a[0]));
        part(functions, "getScheme", "url_get_scheme", SimpleType.STRING, a -> url(a).scheme());
        part(functions, "getHost", "url_get_host", SimpleType.STRING, a -> url(a).hostText());
        part(functions, "getHostname", "url_get_hostname", SimpleType.STRING, a -> url(a).hostname());
        part(functions, "getPort", "url_get_port", SimpleType.STRING, a -> url(a).port());
        part(functions, "getEscapedPath", "url_get_escaped_path", SimpleType.STRING, a -> url(a).escapedPath());
        part(
                functions,
                "getQuery",
                "url_get_query",
                MapType.create(SimpleType.STRING, ListType.create(SimpleType.STRING)),
                a -> url(a).parameters());
    }

    private static Url url(Object[] arguments) {
        return (Url) arguments[0];
    }

    private static void part(Functions functions, String name, String id, CelType result, Function.Body body) {
        functions.extension(name).member(id, result, List.of(TYPE), body);
    }
}
