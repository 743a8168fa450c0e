// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.binding;

import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.BindPlugin;

/** Binds the pod to its node. Same decisions as kube-scheduler's DefaultBinder. */
public final class DefaultBinder implements BindPlugin {
    /** The plugin's name. */
    public static final String NAME = "DefaultBinder";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, DefaultBinder.class, DefaultBinder::new);

    private final Handle handle;

    DefaultBinder(Handle handle) {
        this.handle = handle;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status bind(CycleState state, Pod pod, String nodeName) {
        handle.cluster().writer().bind(pod, nodeName);
        return Status.success();
    }
}
