// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceConfig;
import org.moorage.api.model.NodeReach;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ResourceClaim;

/** Puts what a search found into the form in which claims have it. */
final class AllocationBuilder {
    private final String nodeName;
    private final DeviceFeatures features;
    private final List<DeviceAllocation> allocations = new ArrayList<>();

    AllocationBuilder(String nodeName, DeviceFeatures features) {
        this.nodeName = nodeName;
        this.features = features;
    }

    List<DeviceAllocation> allocations() {
        return List.copyOf(allocations);
    }

    /**
     * Adds what a claim is given.
     *
     * @param claim the claim
     * @param requests its requests, as their chosen alternatives
     * @param given the devices
     */
    void add(ResourceClaim claim, List<Wanted> requests, List<Search.Given> given) {
        List<DeviceAllocation.Result> results = new ArrayList<>(given.size());
        for (Search.Given one : given) {
            results.add(new DeviceAllocation.Result(
                    one.wanted().fullName(),
                    one.device().id().driver(),
                    one.device().id().pool(),
                    one.device().id().device(),
                    one.wanted().request().adminAccess(),
                    one.wanted().request().tolerations(),
                    features.readiness() ? one.device().device().bindingConditions() : List.of(),
                    features.readiness() ? one.device().device().bindingFailureConditions() : List.of(),
                    one.shareId(),
                    one.amounts()));
        }
        allocations.add(new DeviceAllocation(results, config(claim, requests), nodeSelector(given), Optional.empty()));
    }

    private static List<DeviceAllocation.Config> config(ResourceClaim claim, List<Wanted> requests) {
        List<DeviceAllocation.Config> all = new ArrayList<>();
        Map<String, List<String>> requestsByClass = new HashMap<>();
        for (Wanted request : requests) {
            requestsByClass
                    .computeIfAbsent(request.deviceClass().name(), any -> new ArrayList<>())
                    .add(request.fullName());
        }
        for (Wanted request : requests) {
            // Each class once, at the place of its first request.
            List<String> names = requestsByClass.remove(request.deviceClass().name());
            if (names != null) {
                for (DeviceConfig config : request.deviceClass().config()) {
                    all.add(new DeviceAllocation.Config(true, new DeviceConfig(names, config.json())));
                }
            }
        }
        for (DeviceConfig config : claim.config()) {
            if (config.requests().isEmpty()) {
                all.add(new DeviceAllocation.Config(false, config));
            }
            for (Wanted request : requests) {
                if (config.requests().contains(request.requestName())
                        || config.requests().contains(request.fullName())) {
                    all.add(new DeviceAllocation.Config(false, config));
                }
            }
        }
        return all;
    }

    // One device that can only be used from the node ties the claim to it; otherwise all selectors must hold together.
    private Optional<NodeSelector> nodeSelector(List<Search.Given> given) {
        List<NodeSelector.Requirement> fields = new ArrayList<>();
        List<NodeSelector.Requirement> expressions = new ArrayList<>();
        for (Search.Given one : given) {
            boolean own = one.device().slice().perDeviceNodeSelection();
            NodeReach reach =
                    own ? one.device().device().reach() : one.device().slice().reach();
            boolean bindsToNode = one.device().device().bindsToNode() && !features.usesStableAllocator();
            if (!reach.nodeName().isEmpty() || bindsToNode) {
                return Optional.of(new NodeSelector(List.of(new NodeSelector.Term(
                        List.of(), List.of(new NodeSelector.Requirement("metadata.name", "In", List.of(nodeName)))))));
            }
            List<NodeSelector.Term> terms =
                    reach.nodeSelector().map(NodeSelector::terms).orElse(List.of());
            if (terms.size() > 1) {
                throw new AllocationException("create NodeSelector for claim: unsupported ResourceSlice.NodeSelector"
                        + " with " + terms.size() + " terms");
            }
            for (NodeSelector.Term term : terms) {
                addNew(term.matchFields(), fields);
                addNew(term.matchExpressions(), expressions);
            }
        }
        return fields.isEmpty() && expressions.isEmpty()
                ? Optional.empty()
                : Optional.of(new NodeSelector(List.of(new NodeSelector.Term(expressions, fields))));
    }

    private static void addNew(List<NodeSelector.Requirement> from, List<NodeSelector.Requirement> to) {
        for (NodeSelector.Requirement added : from) {
            boolean known = false;
            for (NodeSelector.Requirement other : to) {
                known |= other.key().equals(added.key())
                        && other.operator().equals(added.operator())
                        && new HashSet<>(other.values()).equals(new HashSet<>(added.values()));
            }
            if (!known) {
                to.add(added);
            }
        }
    }
}
