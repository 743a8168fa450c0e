// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import org.moorage.api.model.QosClass;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;

/**
 * Sorts the queue by priority, highest first, then by quality of service class, Guaranteed first, and then by the time
 * when the pods were queued. Same decisions as scheduler-plugins' QOSSort. A group that is queued as a unit has the
 * class of its first pod.
 */
public final class QOSSort implements QueueSortPlugin {
    /** The plugin's name. */
    public static final String NAME = "QOSSort";

    private QOSSort() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean less(QueuedPod first, QueuedPod second) {
        if (first.priority() != second.priority()) {
            return first.priority() > second.priority();
        }
        QosClass firstClass = first.pod().qosClass();
        QosClass secondClass = second.pod().qosClass();
        return firstClass == secondClass
                ? first.timestamp().isBefore(second.timestamp())
                : firstClass.compareTo(secondClass) < 0;
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
    public static final class Factory implements PluginFactory<PluginArgs.None> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<PluginArgs.None> argsType() {
            return PluginArgs.None.class;
        }

        @Override
        public boolean ignoresArgs() {
            return true;
        }

        @Override
        public Plugin create(PluginArgs.None args, Handle handle) {
            return new QOSSort();
        }
    }
}
