// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.minimal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;

/** Has what a plugin gives {@link Handle.Tasks#backgroundAfter} run when the test lets time pass, and not before. */
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
        Handle.Tasks manual = new Handle.Tasks() {
            @Override
            public Executor background() {
                return handle.tasks().background();
            }

            @Override
            public void backgroundAfter(Duration delay, Runnable work) {
                tasks.add(new Task(now.plus(delay), work));
            }
        };
        return (Handle) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Handle.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("tasks")) {
                        return manual;
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
