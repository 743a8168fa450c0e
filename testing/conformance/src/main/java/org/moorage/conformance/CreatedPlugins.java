// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeScores;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.config.plugin.PluginRegistry;

/**
 * Records the plugins that a scheduler creates, so that a check can call one of them, and their scores before
 * normalization, which the scheduler does not keep.
 */
final class CreatedPlugins {
    private final List<Created> plugins = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Map<String, Long>> rawScores = new ConcurrentHashMap<>();

    /**
     * A plugin and its profile.
     *
     * @param profile the name of the profile
     * @param plugin the plugin
     */
    record Created(String profile, Plugin plugin) {}

    /** Returns a registry of the same plugins, whose instances are recorded here when they are created. */
    PluginRegistry recordedFrom(PluginRegistry registry) {
        List<PluginFactory<?>> factories = new ArrayList<>();
        for (PluginFactory<?> factory : registry.factories()) {
            factories.add(new Factory<>(factory));
        }
        return PluginRegistry.of(factories);
    }

    /** Returns the plugins in the order of their creation. */
    List<Created> all() {
        synchronized (plugins) {
            return List.copyOf(plugins);
        }
    }

    /** Returns the first created plugin of a type. */
    <P> Optional<P> first(Class<P> type) {
        for (Created created : all()) {
            if (type.isInstance(created.plugin())) {
                return Optional.of(type.cast(created.plugin()));
            }
        }
        return Optional.empty();
    }

    /** Returns the last scores before normalization, by node and plugin. */
    Map<String, Map<String, Long>> rawScores() {
        Map<String, Map<String, Long>> byNode = new TreeMap<>();
        rawScores.forEach((plugin, scores) -> scores.forEach((node, score) ->
                byNode.computeIfAbsent(node, any -> new TreeMap<>()).put(plugin, score)));
        return byNode;
    }

    /** Forgets the recorded scores. */
    void forgetScores() {
        rawScores.clear();
    }

    private void record(Plugin plugin, NodeScores scores) {
        Map<String, Long> byNode = new TreeMap<>();
        for (int i = 0; i < scores.size(); i++) {
            byNode.put(scores.node(i).name(), scores.score(i));
        }
        rawScores.put(plugin.name(), byNode);
    }

    private final class Factory<A extends PluginArgs> implements PluginFactory<A> {
        private final PluginFactory<A> factory;

        Factory(PluginFactory<A> factory) {
            this.factory = Objects.requireNonNull(factory, "factory");
        }

        @Override
        public String name() {
            return factory.name();
        }

        @Override
        public Class<A> argsType() {
            return factory.argsType();
        }

        @Override
        public Optional<String> argsKind() {
            return factory.argsKind();
        }

        @Override
        public boolean ignoresArgs() {
            return factory.ignoresArgs();
        }

        @Override
        public Plugin create(A args, Handle handle) {
            Plugin plugin = factory.create(args, handle);
            plugins.add(new Created(handle.profileName(), plugin));
            return plugin instanceof ScorePlugin ? recordingScores(plugin) : plugin;
        }

        @Override
        public boolean needsPodJson() {
            return factory.needsPodJson();
        }

        @Override
        public boolean needsClusterJson() {
            return factory.needsClusterJson();
        }

        @Override
        public Class<?> declaringClass() {
            return factory.declaringClass();
        }
    }

    // The result has the extension points of the plugin, and no others.
    private Plugin recordingScores(Plugin plugin) {
        Set<Class<?>> interfaces = new LinkedHashSet<>();
        for (Class<?> type = plugin.getClass(); type != null; type = type.getSuperclass()) {
            collect(type, interfaces);
        }
        return (Plugin) Proxy.newProxyInstance(
                Plugin.class.getClassLoader(),
                interfaces.toArray(Class<?>[]::new),
                (proxy, method, arguments) -> invoke(plugin, proxy, method, arguments));
    }

    private static void collect(Class<?> type, Set<Class<?>> found) {
        for (Class<?> implemented : type.getInterfaces()) {
            if (implemented.getPackage().equals(Plugin.class.getPackage()) || implemented == AutoCloseable.class) {
                found.add(implemented);
            }
            collect(implemented, found);
        }
    }

    private @Nullable Object invoke(Plugin plugin, Object proxy, Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (method.getName().equals("equals") && arguments != null) {
            return proxy == arguments[0];
        }
        if (method.getName().equals("normalize")
                && arguments != null
                && arguments[arguments.length - 1] instanceof NodeScores raw) {
            record(plugin, raw);
        }
        try {
            return method.invoke(plugin, arguments);
        } catch (InvocationTargetException failed) {
            throw Objects.requireNonNullElse(failed.getCause(), failed);
        }
    }
}
