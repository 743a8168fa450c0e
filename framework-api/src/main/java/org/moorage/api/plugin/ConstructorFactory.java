// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;
import java.util.function.BiFunction;

/** A factory that calls a constructor, see {@link PluginFactory#of}. */
record ConstructorFactory<A extends PluginArgs, P extends Plugin>(
        String name, Class<P> declaringClass, Class<A> argsType, BiFunction<A, Handle, P> constructor)
        implements PluginFactory<A> {
    ConstructorFactory {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(declaringClass, "pluginType");
        Objects.requireNonNull(argsType, "argsType");
        Objects.requireNonNull(constructor, "constructor");
    }

    @Override
    public Plugin create(A args, Handle handle) {
        return constructor.apply(args, handle);
    }

    @Override
    public String toString() {
        return name;
    }
}
