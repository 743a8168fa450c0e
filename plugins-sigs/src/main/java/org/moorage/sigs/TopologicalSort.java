// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;

/**
 * Orders the pods of an AppGroup by the topological order of their workloads, and all others by priority and then by
 * when they were queued.
 *
 * <p>Same order as scheduler-plugins' TopologicalSort. It differs where that one fails: pods with the same place in the
 * order, and pods of a group that does not exist, are ordered by when they were queued.
 */
public final class TopologicalSort implements QueueSortPlugin {
    /** The plugin's name. */
    public static final String NAME = "TopologicalSort";

    private final Args args;
    private final TypedResources<AppGroup> groups;

    /**
     * The arguments.
     *
     * @param namespaces the namespaces of AppGroups, in the order in which they are searched
     */
    public record Args(List<String> namespaces) implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS = new Args(List.of());

        public Args {
            namespaces = namespaces.isEmpty() ? List.of("default") : List.copyOf(namespaces);
        }
    }

    private TopologicalSort(Args args, Handle handle) {
        this.args = args;
        groups = new TypedResources<>(handle, AppGroup.KIND, AppGroup::of);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean less(QueuedPod first, QueuedPod second) {
        String group = groupOf(first);
        if (group.isEmpty() || !group.equals(groupOf(second))) {
            return first.priority() == second.priority()
                    ? first.timestamp().isBefore(second.timestamp())
                    : first.priority() > second.priority();
        }
        Optional<AppGroup> found = AppGroup.find(groups, args.namespaces(), group);
        if (found.isPresent()) {
            long firstPlace = found.get().placeOf(AppGroup.workloadOf(first.pod()));
            long secondPlace = found.get().placeOf(AppGroup.workloadOf(second.pod()));
            if (firstPlace != secondPlace) {
                return firstPlace < secondPlace;
            }
        }
        return first.timestamp().isBefore(second.timestamp());
    }

    // A pod group that is queued as a unit is in no AppGroup, regardless of the labels of its first pod.
    private static String groupOf(QueuedPod queued) {
        Pod pod = queued.pod();
        return pod.spec().podGroupName().isEmpty() ? AppGroup.groupOf(pod) : "";
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Optional<String> argsKind() {
            return Optional.of("TopologicalSortArgs");
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new TopologicalSort(args, handle);
        }
    }
}
