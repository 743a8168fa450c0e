// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.List;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.plugin.Plugin;

/**
 * An extension of a plugin that registers the changes of the cluster that could make a pod schedulable that this plugin
 * rejected.
 *
 * <p>The pods of a plugin that can reject but does not implement this interface are retried on every event.
 */
public interface EnqueueExtensions extends Plugin {
    /**
     * Returns the events to react to. Called once, when the scheduler starts.
     *
     * @return the events; if empty, a pod that this plugin rejected is only retried after the long timeout
     */
    List<EventRegistration> eventsToRegister();
}
