// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.List;
import java.util.Objects;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;

/**
 * The events after which a pod that a plugin rejected may be retried.
 *
 * @param plugin the plugin's name
 * @param registrations the events that it waits for
 */
public record PluginEvents(String plugin, List<EventRegistration> registrations) {
    // kube-scheduler's list, which lacks volume attachments, resource slices and composite groups. kube-scheduler also
    // omits pod groups while GenericWorkload is off; there are no events of them then.
    private static final List<EventRegistration> EVERYTHING = List.of(
            all(EventResource.POD),
            all(EventResource.NODE),
            all(EventResource.PERSISTENT_VOLUME),
            all(EventResource.PERSISTENT_VOLUME_CLAIM),
            all(EventResource.CSI_NODE),
            all(EventResource.CSI_DRIVER),
            all(EventResource.CSI_STORAGE_CAPACITY),
            all(EventResource.STORAGE_CLASS),
            all(EventResource.RESOURCE_CLAIM),
            all(EventResource.DEVICE_CLASS),
            all(EventResource.POD_GROUP));

    public PluginEvents {
        Objects.requireNonNull(plugin, "plugin");
        registrations = List.copyOf(registrations);
    }

    private static EventRegistration all(EventResource resource) {
        return EventRegistration.always(ClusterEvent.of(resource, ActionType.ALL));
    }

    /**
     * Returns the events that a plugin registers, or all events if it can reject pods and is no {@link
     * EnqueueExtensions}. A plugin that cannot reject pods has no events, even if it registers some.
     *
     * @throws PluginFailure if the plugin fails to register its events
     */
    public static PluginEvents of(PluginCaller plugin) {
        if (!canReject(plugin.plugin())) {
            return new PluginEvents(plugin.name(), List.of());
        }
        if (plugin.plugin() instanceof EnqueueExtensions) {
            return new PluginEvents(plugin.name(), plugin.eventsToRegister());
        }
        return all(plugin.name());
    }

    public static PluginEvents all(String plugin) {
        return new PluginEvents(plugin, EVERYTHING);
    }

    private static boolean canReject(Plugin plugin) {
        return plugin instanceof PreEnqueuePlugin
                || plugin instanceof PreFilterPlugin
                || plugin instanceof FilterPlugin
                || plugin instanceof ReservePlugin
                || plugin instanceof PermitPlugin;
    }
}
