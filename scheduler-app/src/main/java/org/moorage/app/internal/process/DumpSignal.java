// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.lang.reflect.Proxy;
import java.util.concurrent.ThreadFactory;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.debug.CacheComparison;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a dump of cache and queue, and how they differ from the cluster, on SIGUSR2, as kube-scheduler does.
 *
 * <p>The JVM suspends its own threads with that signal, unless the environment variable {@code _JAVA_SR_SIGNUM} names
 * another one; {@code bin/moorage} sets it. Where it is not set, the signal is left to the JVM.
 */
public final class DumpSignal {
    private static final Logger LOG = LoggerFactory.getLogger(DumpSignal.class);

    private DumpSignal() {}

    public static void handle(Scheduler scheduler, ThreadFactory threads) {
        if (System.getenv("_JAVA_SR_SIGNUM") == null) {
            return;
        }
        try {
            // By reflection, since the compiler warns of these classes, and a build has no warnings.
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(
                    DumpSignal.class.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            threads.newThread(() -> log(scheduler)).start();
                        }
                        return null;
                    });
            Object ignored = signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("USR2"), proxy);
        } catch (ReflectiveOperationException | IllegalArgumentException notHere) {
            LOG.atDebug().addKeyValue("err", notHere.toString()).log("SIGUSR2 is not handled");
        }
    }

    static void log(Scheduler scheduler) {
        LOG.atInfo().addKeyValue("dump", scheduler.dump()).log("Dump of cache and scheduling queue");
        CacheComparison comparison = scheduler.compareCache();
        if (comparison.isEqual()) {
            LOG.info("Cache comparer found no difference");
        } else {
            LOG.atWarn().addKeyValue("difference", comparison).log("Cache mismatch");
        }
    }
}
