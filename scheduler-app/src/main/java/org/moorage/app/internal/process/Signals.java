// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.lang.reflect.Proxy;

/**
 * The signals that the process gets. They are only to be had from the JDK's module {@code jdk.unsupported}, which every
 * JDK has, so it is called by reflection: its types cannot be named without a warning.
 */
public final class Signals {
    private Signals() {}

    /**
     * Runs an action on a thread of the virtual machine each time the process receives a signal.
     *
     * @param name the signal's name without its prefix, for example {@code TERM}
     * @return false if the virtual machine does not allow a handler for it
     */
    public static boolean handle(String name, Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object running = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, args) -> {
                        if (method.getName().equals("handle")) {
                            action.run();
                            return null;
                        }
                        return method.getName().equals("equals") ? Boolean.FALSE : (Object) 0;
                    });
            Object ignored = signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), running);
            return true;
        } catch (ReflectiveOperationException | IllegalArgumentException refused) {
            return false;
        }
    }
}
