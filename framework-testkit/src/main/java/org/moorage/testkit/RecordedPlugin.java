// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.Placement;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/** A wrapper that records each call of a plugin. It has the extension points of the plugin, and no others. */
final class RecordedPlugin implements InvocationHandler {
    private static final Set<String> NOT_ABOUT_A_POD =
            Set.of("name", "eventsToRegister", "nodeChanges", "less", "close", "equals", "hashCode", "toString");

    private static final Set<String> MANY_NODES = Set.of("nodeFilter", "nodeScorer");

    private final Plugin plugin;
    private final List<PluginCall> answers = new CopyOnWriteArrayList<>();

    RecordedPlugin(Plugin plugin) {
        this.plugin = plugin;
    }

    /** Returns the wrapped plugin. */
    Plugin plugin() {
        return plugin;
    }

    /** Returns the recording plugin to pass to a scheduler. */
    Plugin asPlugin() {
        Set<Class<?>> interfaces = new LinkedHashSet<>();
        for (Class<?> type = plugin.getClass(); type != null; type = type.getSuperclass()) {
            collect(type, interfaces);
        }
        return (Plugin) Proxy.newProxyInstance(
                RecordedPlugin.class.getClassLoader(), interfaces.toArray(Class<?>[]::new), this);
    }

    private static void collect(Class<?> type, Set<Class<?>> found) {
        for (Class<?> implemented : type.getInterfaces()) {
            if (Plugin.class.isAssignableFrom(implemented) && isOfTheApi(implemented)
                    || implemented == AutoCloseable.class) {
                found.add(implemented);
            }
            collect(implemented, found);
        }
    }

    private static boolean isOfTheApi(Class<?> type) {
        return type.getPackageName().startsWith(Plugin.class.getPackageName());
    }

    /** Returns the recorded calls since the last call of {@link #forget}, in order. */
    List<PluginCall> answers() {
        return List.copyOf(answers);
    }

    void forget() {
        answers.clear();
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        Object[] given = arguments == null ? new Object[0] : arguments;
        if (method.getName().equals("equals")) {
            return proxy == given[0];
        }
        if (MANY_NODES.contains(method.getName())) {
            // The default calls this proxy for each node, so that each result is recorded.
            return InvocationHandler.invokeDefault(proxy, method, given);
        }
        Object value;
        try {
            value = method.invoke(plugin, given);
        } catch (InvocationTargetException failed) {
            note(method, given, null, failed.getCause());
            throw failed.getCause() == null ? failed : failed.getCause();
        }
        note(method, given, value, null);
        return value;
    }

    private void note(Method method, Object[] arguments, @Nullable Object value, @Nullable Throwable thrown) {
        if (NOT_ABOUT_A_POD.contains(method.getName())) {
            return;
        }
        String podKey = "";
        String nodeName = "";
        for (Object argument : arguments) {
            if (argument instanceof Pod pod && podKey.isEmpty()) {
                podKey = pod.key();
            } else if (argument instanceof NodeInfo node) {
                nodeName = node.name();
            } else if (argument instanceof Placement placement) {
                nodeName = placement.name();
            } else if (argument instanceof PodGroupAssignments assignments) {
                nodeName = assignments.placement().name();
            } else if (argument instanceof PlacementProgress progress) {
                nodeName = progress.scheduled() + " scheduled, " + progress.remaining() + " remaining";
            } else if (argument instanceof String name) {
                nodeName = name;
            }
        }
        answers.add(new PluginCall(method.getName(), podKey, nodeName, value, thrown, List.of(arguments)));
    }
}
