// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.net.URL;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import org.moorage.api.plugin.PluginFactory;

/** The plugins that configurations may name. Immutable. */
public final class PluginRegistry {
    private final Map<String, PluginFactory<?>> factoryByName;

    private PluginRegistry(Map<String, PluginFactory<?>> factoryByName) {
        this.factoryByName = Collections.unmodifiableMap(factoryByName);
    }

    /**
     * Returns a registry of these factories.
     *
     * @throws IllegalArgumentException if two factories have one name
     */
    public static PluginRegistry of(Collection<? extends PluginFactory<?>> factories) {
        return new PluginRegistry(Map.of()).with(factories);
    }

    /**
     * Returns this registry with further factories.
     *
     * @throws IllegalArgumentException if two factories have one name
     */
    public PluginRegistry with(Collection<? extends PluginFactory<?>> factories) {
        Map<String, PluginFactory<?>> all = new LinkedHashMap<>(factoryByName);
        for (PluginFactory<?> factory : factories) {
            Objects.requireNonNull(factory, "factory");
            PluginFactory<?> other = all.putIfAbsent(factory.name(), factory);
            if (other != null) {
                throw new IllegalArgumentException("plugin \"" + factory.name() + "\": registered by " + origin(other)
                        + " and by " + origin(factory) + " (expected: one factory for a name)");
            }
        }
        return new PluginRegistry(all);
    }

    // The class, and its jar where it has one: two folders of plugins may have the same class.
    private static String origin(PluginFactory<?> factory) {
        Class<?> declaring = factory.declaringClass();
        CodeSource source = declaring.getProtectionDomain().getCodeSource();
        URL location = source == null ? null : source.getLocation();
        String path = location == null ? "" : URLDecoder.decode(location.getPath(), StandardCharsets.UTF_8);
        return declaring.getName() + (path.endsWith(".jar") ? " of " + path : "");
    }

    /**
     * Returns this registry with the factories that a class loader offers as services. Skips factories whose class is
     * already registered, so that a program may register the plugin that it is made for.
     *
     * @throws IllegalArgumentException if two factories have one name
     */
    public PluginRegistry withServices(ClassLoader loader) {
        List<PluginFactory<?>> found = new ArrayList<>();
        for (PluginFactory<?> factory : ServiceLoader.load(PluginFactory.class, loader)) {
            PluginFactory<?> known = factoryByName.get(factory.name());
            if (known == null || known.getClass() != factory.getClass()) {
                found.add(factory);
            }
        }
        return with(found);
    }

    /** Returns the factory of that name, or empty. */
    public Optional<PluginFactory<?>> find(String name) {
        return Optional.ofNullable(factoryByName.get(name));
    }

    /** Returns all factories, in the order in which they were registered. */
    public Collection<PluginFactory<?>> factories() {
        return factoryByName.values();
    }
}
