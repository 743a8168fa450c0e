// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.minimal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;

/** Has what a plugin gives {@link Handle#backgroundAfter} run when the test lets time pass, and not before. */
final class ManualTimers {
    private record Task(Duration at, Runnable work) {}

    private final List<Task> tasks = new ArrayList<>();
    private Duration now = Duration.ZERO;

    /** Makes the plugin with such timers. */
    PluginFactory<RandomNodeSample.Args> factory() {
        return new PluginFactory<>() {
            @Override
            public String name() {
                return RandomNodeSample.NAME;
            }

            @Override
            public Class<RandomNodeSample.Args> argsType() {
                return RandomNodeSample.Args.class;
            }

            @Override
            public Plugin create(RandomNodeSample.Args args, Handle handle) {
                return new RandomNodeSample.Factory().create(args, with(handle));
            }
        };
    }

    private Handle with(Handle handle) {
        return (Handle) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Handle.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("backgroundAfter")) {
                        tasks.add(new Task(now.plus((Duration) arguments[0]), (Runnable) arguments[1]));
                        return null;
                    }
                    try {
                        return method.invoke(handle, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    /** Lets time pass, and runs what is due then. */
    void pass(Duration time) {
        now = now.plus(time);
        List<Task> due = new ArrayList<>();
        for (Task task : tasks) {
            if (task.at().compareTo(now) <= 0) {
                due.add(task);
            }
        }
        tasks.removeAll(due);
        due.forEach(task -> task.work().run());
    }
}
