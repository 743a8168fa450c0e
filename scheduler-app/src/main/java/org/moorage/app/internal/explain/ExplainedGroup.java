// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.GroupKey;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.app.internal.process.CommandException;
import org.moorage.objects.Suggestions;
import org.moorage.simulation.dump.ClusterDump;

/** The group of pods that a command explains. */
public final class ExplainedGroup {
    private ExplainedGroup() {}

    /**
     * The group that the argument names: {@code podgroup/NAME}, {@code podgroup/NAMESPACE/NAME} or the same of a
     * composite group.
     *
     * @return empty if it names none: no such type, or there is a pod of that namespace and name
     * @throws CommandException if there is no such group, or several
     */
    public static Optional<GroupKey> named(String wanted, ClusterDump dump) {
        int slash = wanted.indexOf('/');
        Optional<GroupKey.Type> type = slash < 0 ? Optional.empty() : type(wanted.substring(0, slash));
        if (type.isEmpty() || dump.pods().stream().anyMatch(pod -> pod.key().equals(wanted))) {
            return Optional.empty();
        }
        String name = wanted.substring(slash + 1);
        boolean isQualified = name.indexOf('/') >= 0;
        List<GroupKey> found = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (ClusterObject object : dump.objects()) {
            if (!isOfType(object, type.get())) {
                continue;
            }
            String known = isQualified ? object.key() : object.metadata().name();
            names.add(known);
            if (known.equals(name)) {
                found.add(new GroupKey(
                        type.get(), object.namespace(), object.metadata().name()));
            }
        }
        if (found.isEmpty()) {
            throw new CommandException(type.get() + " \"" + name + "\" is not among the " + names.size() + " "
                    + type.get() + "s of the cluster." + Suggestions.hint(name, names));
        }
        if (found.size() > 1) {
            throw new CommandException(
                    type.get() + " \"" + name + "\" is in several namespaces (expected: one of " + join(found) + ")");
        }
        return Optional.of(found.get(0));
    }

    private static Optional<GroupKey.Type> type(String word) {
        for (GroupKey.Type type : GroupKey.Type.values()) {
            if (type.toString().equals(word)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    private static boolean isOfType(ClusterObject object, GroupKey.Type type) {
        return switch (type) {
            case POD_GROUP -> object instanceof PodGroup;
            case COMPOSITE_POD_GROUP -> object instanceof CompositePodGroup;
        };
    }

    private static String join(List<GroupKey> keys) {
        List<String> texts = new ArrayList<>();
        keys.forEach(key -> texts.add(key.toString()));
        return String.join(", ", texts);
    }

    /** The group that a pod which waits is scheduled with; empty if it is scheduled alone. */
    public static Optional<GroupKey> of(Pod pod, FeatureGates features) {
        String group = pod.spec().podGroupName();
        boolean isScheduled =
                pod.isBound() || pod.status().isTerminal() || pod.metadata().isDeleting();
        if (group.isEmpty() || isScheduled || !features.isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
            return Optional.empty();
        }
        return Optional.of(GroupKey.podGroup(pod.namespace(), group));
    }

    /** @throws CommandException if the features are off that have groups of that type scheduled */
    public static void demandFeature(GroupKey group, FeatureGates features) {
        String gate = group.type() == GroupKey.Type.POD_GROUP
                ? FeatureGates.GENERIC_WORKLOAD
                : FeatureGates.COMPOSITE_POD_GROUP;
        if (!features.isEnabled(gate)) {
            throw new CommandException(
                    group + ": the feature " + gate + " is off, so that it is not scheduled as a group"
                            + " (expected: --feature-gates " + gate + "=true)");
        }
    }
}
