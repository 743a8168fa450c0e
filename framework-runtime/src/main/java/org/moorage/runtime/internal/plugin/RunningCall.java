// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

/** A call into a plugin that has not returned. There is one object for each method of each plugin, so that a call needs no new one. */
public record RunningCall(PluginCaller caller, PluginMethod method) {
    /** The plugin's name. */
    public String plugin() {
        return caller.name();
    }

    /** The failure of the call, in kube-scheduler's words. */
    public String failure(String what) {
        return method.message(caller.name(), what);
    }
}
