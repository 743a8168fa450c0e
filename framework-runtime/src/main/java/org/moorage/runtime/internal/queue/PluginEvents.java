// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.List;
import java.util.Objects;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.PermitPlugin;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PreEnqueuePlugin;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.ReservePlugin;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;

/**
 * The events that let a pod be tried again that a plugin rejected.
 *
 * @param plugin the plugin's name
 * @param registrations what it waits for
 */
public record PluginEvents(String plugin, List<EventRegistration> registrations) {
    // kube-scheduler's list. That volume attachments, resource slices and composite groups are not in it is no slip of
    // ours.
    // Groups of pods it leaves out while GenericWorkload is off, when there are no events of them.
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
     * What a plugin waits for: what it registers itself, or everything that can happen if it can reject and does not say. A
     * plugin that cannot reject waits for nothing, whatever it registers.
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

    /** Everything that can happen. */
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
