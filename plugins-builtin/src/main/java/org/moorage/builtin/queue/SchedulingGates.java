// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.queue;

import java.util.List;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.PreEnqueuePlugin;

/** Keeps a pod out of the queue while it has scheduling gates. Same decisions as kube-scheduler's SchedulingGates. */
public final class SchedulingGates implements PreEnqueuePlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "SchedulingGates";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, SchedulingGates.class, handle -> new SchedulingGates());

    SchedulingGates() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status preEnqueue(Pod pod) {
        List<String> gates = pod.spec().schedulingGates();
        return gates.isEmpty()
                ? Status.success()
                : Status.unresolvable("waiting for scheduling gates: [" + String.join(" ", gates) + "]");
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(EventRegistration.always(
                ClusterEvent.of(EventResource.TARGET_POD, ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED)));
    }
}
