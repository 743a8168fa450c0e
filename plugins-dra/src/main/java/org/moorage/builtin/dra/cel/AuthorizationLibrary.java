// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.types.OpaqueType;
import java.util.List;

/** Questions to an authorizer. Nobody can ask them of a device, as there is no authorizer, but the names are taken. */
final class AuthorizationLibrary {
    private static final OpaqueType AUTHORIZER = OpaqueType.create("kubernetes.authorization.Authorizer");

    private AuthorizationLibrary() {}

    static void addTo(Functions functions) {
        for (String name : List.of(
                "path",
                "serviceAccount",
                "group",
                "resource",
                "subresource",
                "namespace",
                "name",
                "check",
                "allowed",
                "reason",
                "errored",
                "error",
                "fieldSelector",
                "labelSelector")) {
            functions
                    .extension(name)
                    .member("authorizer_" + name, AUTHORIZER, List.of(AUTHORIZER), a -> Failure.NO_OVERLOAD);
        }
    }
}
