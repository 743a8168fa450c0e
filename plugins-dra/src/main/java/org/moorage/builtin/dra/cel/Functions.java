// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.CelFunctionDecl;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All functions of expressions, by name. Two libraries may add to one function. */
final class Functions {
    private final Map<String, Function> standard = new HashMap<>();
    private final Map<String, Function> extensions = new LinkedHashMap<>();

    /** A function that the compiler knows anyway. */
    Function standard(String name) {
        return standard.computeIfAbsent(name, Function::new);
    }

    /** A function that the compiler must be told of. */
    Function extension(String name) {
        return extensions.computeIfAbsent(name, Function::new);
    }

    /** What the compiler must be told. */
    List<CelFunctionDecl> declarations() {
        return extensions.values().stream().map(Function::declaration).toList();
    }

    @Nullable
    Function find(String name) {
        Function found = extensions.get(name);
        return found != null ? found : standard.get(name);
    }
}
