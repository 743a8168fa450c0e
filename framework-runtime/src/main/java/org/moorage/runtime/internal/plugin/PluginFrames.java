// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.plugin.Plugin;

/**
 * Finds out from the stack of a thread which method of which plugin it runs. So a call that returns in time pays nothing for the
 * name in the message about one that does not.
 */
public final class PluginFrames {
    private static final String CALLS = PluginCalls.class.getName();

    private final Map<String, String> pluginByClass = new HashMap<>();

    /** A call into a plugin, by the plugin's name. */
    public record RunningCall(String plugin, PluginMethod method) {
        /** The failure of the call, in kube-scheduler's words. */
        public String failure(String what) {
            return method.message(plugin, what);
        }
    }

    /** Knows the classes of these plugins. */
    public PluginFrames(Collection<? extends Plugin> plugins) {
        for (Plugin plugin : plugins) {
            pluginByClass.put(PluginBreaker.target(plugin).getClass().getName(), plugin.name());
        }
        for (Plugin plugin : plugins) {
            Class<?> type = PluginBreaker.target(plugin).getClass().getSuperclass();
            for (; type != null && type != Object.class; type = type.getSuperclass()) {
                pluginByClass.putIfAbsent(type.getName(), plugin.name());
            }
        }
    }

    /** The innermost call into a plugin; empty if there is none. */
    public Optional<RunningCall> find(StackTraceElement[] stack) {
        int first = 0;
        while (first < stack.length && !isCalls(stack[first])) {
            first++;
        }
        if (first == stack.length) {
            return Optional.empty();
        }
        int last = first;
        while (last + 1 < stack.length && isCalls(stack[last + 1])) {
            last++;
        }
        return Optional.of(new RunningCall(plugin(stack, first), PluginMethod.ofCall(stack[last].getMethodName())));
    }

    // Lambdas of the class have frames of their own, on some virtual machines.
    private static boolean isCalls(StackTraceElement frame) {
        return frame.getClassName().startsWith(CALLS);
    }

    // A queueing hint may be a lambda of any class.
    private String plugin(StackTraceElement[] stack, int callsFrame) {
        for (int i = callsFrame - 1; i >= 0; i--) {
            String known = pluginByClass.get(stack[i].getClassName());
            if (known != null) {
                return known;
            }
        }
        return callsFrame == 0 ? "" : stack[callsFrame - 1].getClassName();
    }
}
