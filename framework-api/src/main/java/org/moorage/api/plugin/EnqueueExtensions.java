// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import org.moorage.api.event.EventRegistration;

/**
 * Says which changes of the cluster could make a pod schedulable that this plugin rejected.
 *
 * <p>A plugin that can reject and does not implement this is asked about every event, and has its pods retried on each.
 */
public interface EnqueueExtensions extends Plugin {
    /**
     * Called once, when the scheduler starts.
     *
     * @return the events; with none, a pod that this plugin rejected is only retried after the long timeout
     */
    List<EventRegistration> eventsToRegister();
}
