// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Map;

/** A plugin that shows the state that it keeps from cycle to cycle, for people who look for the cause of a decision. */
public interface DebugPlugin extends Plugin {
    /**
     * Returns the state as texts by name, for example what each namespace uses. Called at any time, on any thread.
     */
    Map<String, String> debugState();
}
