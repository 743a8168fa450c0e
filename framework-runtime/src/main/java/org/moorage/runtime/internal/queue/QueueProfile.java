// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.List;
import org.moorage.runtime.internal.plugin.PluginCaller;

/**
 * What the queue must know of a profile.
 *
 * @param preEnqueue the plugins that say whether a pod may be tried at all, in the order of the profile
 * @param events what each plugin that can reject waits for
 */
public record QueueProfile(List<PluginCaller> preEnqueue, List<PluginEvents> events) {
    public QueueProfile {
        preEnqueue = List.copyOf(preEnqueue);
        events = List.copyOf(events);
    }
}
