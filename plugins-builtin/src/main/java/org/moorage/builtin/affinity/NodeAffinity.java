// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;
import org.moorage.builtin.labels.LabelSyntax;

/**
 * Rejects nodes that do not match the pod's node selector and required node affinity, and scores nodes by the preferred
 * terms that match. Same decisions as kube-scheduler's NodeAffinity.
 */
public final class NodeAffinity
        implements PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "NodeAffinity";
    /** Makes the plugin. */
    public static final PluginFactory<Args> FACTORY =
            PluginFactory.of(NAME, NodeAffinity.class, Args.class, NodeAffinity::new);

    private static final Status TERMS_CONFLICT = Status.unresolvable("pod affinity terms conflict");
    private static final Status ADDED_AFFINITY_NOT_MATCHED =
            Status.unresolvable("node(s) didn't match scheduler-enforced node affinity");
    private static final Status POD_AFFINITY_NOT_MATCHED =
            Status.unresolvable("node(s) didn't match Pod's node affinity/selector");

    /**
     * The plugin's arguments.
     *
     * @param addedAffinity node affinity of every pod of the profile, in addition to its own
     */
    public record Args(Optional<org.moorage.api.model.NodeAffinity> addedAffinity) implements PluginArgs {
        /** No added affinity. */
        public static final Args DEFAULTS = new Args(Optional.empty());

        @Override
        public void validate(Problems problems) {
            addedAffinity.ifPresent(affinity -> validate(affinity, problems.at("addedAffinity")));
        }

        private static void validate(org.moorage.api.model.NodeAffinity affinity, Problems problems) {
            if (affinity.required().isPresent()) {
                List<NodeSelector.Term> terms = affinity.required().get().terms();
                Problems at = problems.at("requiredDuringSchedulingIgnoredDuringExecution")
                        .at("nodeSelectorTerms");
                for (int i = 0; i < terms.size(); i++) {
                    validate(terms.get(i), at.at(i));
                }
            }
            Problems at = problems.at("preferredDuringSchedulingIgnoredDuringExecution");
            for (int i = 0; i < affinity.preferred().size(); i++) {
                if (affinity.preferred().get(i).weight() != 0) {
                    validate(affinity.preferred().get(i).term(), at.at(i));
                }
            }
        }

        private static void validate(NodeSelector.Term term, Problems problems) {
            for (int i = 0; i < term.matchExpressions().size(); i++) {
                validateLabel(
                        term.matchExpressions().get(i),
                        problems.at("matchExpressions").at(i));
            }
            for (int i = 0; i < term.matchFields().size(); i++) {
                validateField(
                        term.matchFields().get(i), problems.at("matchFields").at(i));
            }
        }

        private static void validateLabel(NodeSelector.Requirement requirement, Problems problems) {
            if (!LabelSyntax.isKey(requirement.key())) {
                problems.at("key").invalid(requirement.key(), LabelSyntax.KEY);
            }
            List<String> values = requirement.values();
            switch (requirement.operator()) {
                case "In", "NotIn" -> {
                    if (values.isEmpty()) {
                        problems.at("values").invalid(values, "at least one for the operators In and NotIn");
                    }
                }
                case "Exists", "DoesNotExist" -> {
                    if (!values.isEmpty()) {
                        problems.at("values").invalid(values, "none for the operators Exists and DoesNotExist");
                    }
                }
                case "Gt", "Lt" -> validateBound(values, problems.at("values"));
                default -> {
                    problems.at("operator")
                            .invalid(requirement.operator(), "In, NotIn, Exists, DoesNotExist, Gt or Lt");
                    return;
                }
            }
            for (int i = 0; i < values.size(); i++) {
                if (!LabelSyntax.isValue(values.get(i))) {
                    problems.at("values").at(i).invalid(values.get(i), LabelSyntax.VALUE);
                }
            }
        }

        private static void validateBound(List<String> values, Problems problems) {
            if (values.size() != 1) {
                problems.invalid(values, "one for the operators Gt and Lt");
                return;
            }
            try {
                Long.parseLong(values.get(0));
            } catch (NumberFormatException notANumber) {
                problems.at(0).invalid(values.get(0), "a whole number for the operators Gt and Lt");
            }
        }

        private static void validateField(NodeSelector.Requirement requirement, Problems problems) {
            if (!requirement.operator().equals("In") && !requirement.operator().equals("NotIn")) {
                problems.at("operator").invalid(requirement.operator(), "In or NotIn");
            } else if (requirement.values().size() != 1) {
                problems.at("values").invalid(requirement.values(), "one value");
            }
        }
    }

    private final FeatureGates features;
    private final org.moorage.api.model.NodeAffinity addedAffinity;

    /** The fields of a pod on which results depend. */
    private record Constraints(Map<String, String> nodeSelector, org.moorage.api.model.NodeAffinity affinity) {}

    NodeAffinity(Args args, Handle handle) {
        features = handle.featureGates();
        addedAffinity = args.addedAffinity().orElse(org.moorage.api.model.NodeAffinity.NONE);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        if (features.isTriedForResize(pod)) {
            return PreFilterResult.skip();
        }
        Optional<NodeSelector> required = pod.spec().affinity().nodeAffinity().required();
        if (pod.spec().nodeSelector().isEmpty()
                && required.isEmpty()
                && addedAffinity.required().isEmpty()) {
            return PreFilterResult.skip();
        }
        return required.isEmpty()
                ? PreFilterResult.allNodes()
                : nodesByName(required.get().terms());
    }

    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(
                new Constraints(pod.spec().nodeSelector(), pod.spec().affinity().nodeAffinity()));
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        if (!matchesAddedAffinity(node.node())) {
            return ADDED_AFFINITY_NOT_MATCHED;
        }
        return pod.spec().selects(node.node()) ? Status.success() : POD_AFFINITY_NOT_MATCHED;
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        Optional<String> invalid = pod.spec().affinity().nodeAffinity().preferredParseError();
        if (invalid.isPresent()) {
            return Status.error(invalid.get());
        }
        boolean hasPreferredTerms =
                !pod.spec().affinity().nodeAffinity().preferred().isEmpty()
                        || !addedAffinity.preferred().isEmpty();
        return hasPreferredTerms ? Status.success() : Status.skip();
    }

    /** Returns the sum of the weights of the preferred terms that match. */
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        return sumOfWeights(addedAffinity.preferred(), node.node())
                + sumOfWeights(pod.spec().affinity().nodeAffinity().preferred(), node.node());
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores.scaledTo100();
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(EventRegistration.of(
                ClusterEvent.of(EventResource.NODE, ActionType.ADD, ActionType.UPDATE_NODE_LABEL),
                Node.class,
                this::afterNodeChange));
    }

    private Hint afterNodeChange(Pod pod, ObjectChange<Node> change) {
        boolean matchedBefore =
                change.before().isPresent() && matches(pod, change.before().get());
        return Hint.queueIf(!matchedBefore && matches(pod, change.latest()));
    }

    private boolean matches(Pod pod, Node node) {
        return matchesAddedAffinity(node) && pod.spec().selects(node);
    }

    // Terms that all name nodes limit the pod to these nodes; any other term may match every node.
    private static PreFilterResult nodesByName(List<NodeSelector.Term> terms) {
        Set<String> names = new HashSet<>();
        for (NodeSelector.Term term : terms) {
            Optional<Set<String>> named = nodeNames(term);
            if (named.isEmpty()) {
                return PreFilterResult.allNodes();
            }
            names.addAll(named.get());
        }
        if (!terms.isEmpty() && names.isEmpty()) {
            return PreFilterResult.rejected(TERMS_CONFLICT);
        }
        return names.isEmpty() ? PreFilterResult.allNodes() : PreFilterResult.onlyNodes(names);
    }

    private static Optional<Set<String>> nodeNames(NodeSelector.Term term) {
        Optional<Set<String>> named = Optional.empty();
        for (NodeSelector.Requirement field : term.matchFields()) {
            if (field.key().equals("metadata.name") && field.operator().equals("In")) {
                Set<String> names = new HashSet<>(field.values());
                named.ifPresent(names::retainAll);
                named = Optional.of(names);
            }
        }
        return named;
    }

    private boolean matchesAddedAffinity(Node node) {
        return addedAffinity.required().isEmpty()
                || addedAffinity.required().get().matches(node);
    }

    private static long sumOfWeights(List<org.moorage.api.model.NodeAffinity.Preferred> terms, Node node) {
        long sum = 0;
        for (int i = 0; i < terms.size(); i++) {
            if (terms.get(i).term().matches(node)) {
                sum += terms.get(i).weight();
            }
        }
        return sum;
    }
}
