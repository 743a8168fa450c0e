// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.List;
import org.moorage.runtime.internal.plugin.PluginCaller;

/**
 * The parts of a profile that the queue uses.
 *
 * @param preEnqueue the PreEnqueue plugins, in the order of the profile
 * @param events the events of each plugin that can reject pods
 */
public record QueueProfile(List<PluginCaller> preEnqueue, List<PluginEvents> events) {
    public QueueProfile {
        preEnqueue = List.copyOf(preEnqueue);
        events = List.copyOf(events);
    }
}
