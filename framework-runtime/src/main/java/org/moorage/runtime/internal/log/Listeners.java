// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.log;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.moorage.api.model.Pod;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.metrics.SchedulerListener;

/**
 * The listeners of a scheduler. What a listener throws is logged, and affects neither the other listeners nor the
 * caller.
 */
public final class Listeners {
    public static final Listeners NONE = new Listeners(List.of());

    private static final Log LOG = Log.of(Listeners.class);

    // Arrays, since reporting a fatal error must not need memory.
    private final SchedulerListener[] all;
    private final SchedulerListener[] measuring;

    public Listeners(Collection<SchedulerListener> listeners) {
        all = listeners.toArray(SchedulerListener[]::new);
        measuring = listeners.stream()
                .filter(listener -> is(SchedulerListener::takesMeasurements, listener))
                .toArray(SchedulerListener[]::new);
    }

    public void on(Consumer<SchedulerListener> event) {
        call(all, event);
    }

    /** Passes a measurement to the listeners that take measurements. */
    public void measure(Consumer<SchedulerListener> measurement) {
        call(measuring, measurement);
    }

    /** Passes the details of an attempt, which are only made if a listener takes them. */
    public void explain(Pod pod, Supplier<AttemptDetails> details) {
        if (any(all, SchedulerListener::takesDetails)) {
            AttemptDetails made = details.get();
            call(all, listener -> {
                if (listener.takesDetails()) {
                    listener.explained(pod, made);
                }
            });
        }
    }

    /** Returns whether any listener takes measurements. */
    public boolean isMeasured() {
        return measuring.length > 0;
    }

    /** Returns whether a listener wants the calls of plugins timed in the run of an extension point that begins. */
    public boolean timesPlugins() {
        return any(measuring, SchedulerListener::timesPlugins);
    }

    /** Passes an error after which the virtual machine cannot be relied on, without allocating memory. */
    public void fatalError(Throwable error) {
        for (SchedulerListener listener : all) {
            listener.fatalError(error);
        }
    }

    private static boolean any(SchedulerListener[] listeners, Predicate<SchedulerListener> question) {
        for (SchedulerListener listener : listeners) {
            if (is(question, listener)) {
                return true;
            }
        }
        return false;
    }

    private static boolean is(Predicate<SchedulerListener> question, SchedulerListener listener) {
        try {
            return question.test(listener);
        } catch (Throwable thrown) {
            failed(thrown);
            return false;
        }
    }

    private static void call(SchedulerListener[] listeners, Consumer<SchedulerListener> event) {
        for (SchedulerListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable thrown) {
                failed(thrown);
            }
        }
    }

    private static void failed(Throwable thrown) {
        Thrown.rethrowIfFatal(thrown);
        LOG.atError().setCause(thrown).log("Scheduler listener failed");
    }
}
