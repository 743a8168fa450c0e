// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

/**
 * A call into a plugin that has not returned. Each method of each plugin has one reusable instance, so that a call
 * creates none.
 */
public record RunningCall(PluginCaller caller, PluginMethod method) {
    /** Returns the plugin's name. */
    public String plugin() {
        return caller.name();
    }

    /** Returns the failure of the call, in kube-scheduler's words. */
    public String failure(String what) {
        return method.message(caller.name(), what);
    }
}
