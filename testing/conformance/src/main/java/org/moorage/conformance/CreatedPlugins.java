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
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeScores;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.config.plugin.PluginRegistry;

/**
 * Records the plugins that a scheduler creates, so that a check can call one of them, their scores before
 * normalization, which the scheduler does not keep, and their permits.
 */
final class CreatedPlugins {
    private final List<Created> plugins = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Map<String, Long>> rawScores = new ConcurrentHashMap<>();
    private final Map<String, PermitResult> permits = new ConcurrentHashMap<>();
    private final BiFunction<String, Handle, Handle> handles;

    /** Creates a record of plugins that get the scheduler's handles. */
    CreatedPlugins() {
        this((plugin, handle) -> handle);
    }

    /**
     * Creates a record of plugins.
     *
     * @param handles returns the handle of a plugin, from its name and the scheduler's handle
     */
    CreatedPlugins(BiFunction<String, Handle, Handle> handles) {
        this.handles = handles;
    }

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

    /** Returns the last results of Permit, by plugin. */
    Map<String, PermitResult> permits() {
        return new TreeMap<>(permits);
    }

    /** Forgets the recorded scores and permits. */
    void forgetAnswers() {
        rawScores.clear();
        permits.clear();
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
            Plugin plugin = factory.create(args, handles.apply(factory.name(), handle));
            plugins.add(new Created(handle.profileName(), plugin));
            return plugin instanceof ScorePlugin || plugin instanceof PermitPlugin ? recording(plugin) : plugin;
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
    private Plugin recording(Plugin plugin) {
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
            if (implemented.getPackageName().startsWith(Plugin.class.getPackageName())
                    || implemented == AutoCloseable.class) {
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
            Object result = method.invoke(plugin, arguments);
            if (result instanceof PermitResult permit) {
                permits.put(plugin.name(), permit);
            }
            return result;
        } catch (InvocationTargetException failed) {
            throw Objects.requireNonNullElse(failed.getCause(), failed);
        }
    }
}
