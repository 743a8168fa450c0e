// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceConfig;
import org.moorage.api.model.NodeSelection;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ResourceClaim;

/** Makes the allocations of claims from the devices that a search found. */
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
     * Adds the allocation of a claim.
     *
     * @param claim the claim
     * @param requests its requests, or the selected subrequest of each
     * @param devices the devices
     */
    void add(ResourceClaim claim, List<RequestData> requests, List<DeviceResult> devices) {
        List<DeviceAllocation.Result> results = new ArrayList<>(devices.size());
        for (DeviceResult result : devices) {
            DeviceId id = result.device().id();
            Device device = result.device().device();
            results.add(new DeviceAllocation.Result(
                    result.request().requestName(),
                    id.driver(),
                    id.pool(),
                    id.device(),
                    result.request().request().adminAccess(),
                    result.request().request().tolerations(),
                    features.bindingConditions() ? device.bindingConditions() : List.of(),
                    features.bindingConditions() ? device.bindingFailureConditions() : List.of(),
                    result.shareId(),
                    result.consumedCapacity(),
                    features.optionalNodeOperations() ? result.device().slice().skipNodeOperations() : List.of()));
        }
        allocations.add(
                new DeviceAllocation(results, config(claim, requests), nodeSelector(devices), Optional.empty()));
    }

    private static List<DeviceAllocation.Config> config(ResourceClaim claim, List<RequestData> requests) {
        List<DeviceAllocation.Config> all = new ArrayList<>();
        Map<String, List<String>> requestsByClass = new HashMap<>();
        for (RequestData request : requests) {
            requestsByClass
                    .computeIfAbsent(request.deviceClass().name(), any -> new ArrayList<>())
                    .add(request.requestName());
        }
        for (RequestData request : requests) {
            // The configuration of a class comes once, with the first request for the class.
            List<String> names = requestsByClass.remove(request.deviceClass().name());
            if (names != null) {
                for (DeviceConfig config : request.deviceClass().config()) {
                    add(new DeviceConfig(names, config.json()), true, requests, all);
                }
            }
        }
        for (DeviceConfig config : claim.config()) {
            if (config.requests().isEmpty() || requests.stream().anyMatch(request -> isAbout(config, request))) {
                add(config, false, requests, all);
            }
        }
        return all;
    }

    // One that is about all requests names none of them.
    private static void add(
            DeviceConfig config, boolean isFromClass, List<RequestData> requests, List<DeviceAllocation.Config> all) {
        boolean isAboutAll = requests.stream().allMatch(request -> isAbout(config, request));
        DeviceConfig named = isAboutAll ? new DeviceConfig(List.of(), config.json()) : config;
        all.add(new DeviceAllocation.Config(isFromClass, named));
    }

    private static boolean isAbout(DeviceConfig config, RequestData request) {
        return config.requests().contains(request.baseRequestName())
                || config.requests().contains(request.requestName());
    }

    // A single device that can only be used from the node binds the claim to the node; otherwise
    // all selectors must match.
    private Optional<NodeSelector> nodeSelector(List<DeviceResult> devices) {
        List<NodeSelector.Requirement> fields = new ArrayList<>();
        List<NodeSelector.Requirement> expressions = new ArrayList<>();
        for (DeviceResult result : devices) {
            Device device = result.device().device();
            NodeSelection nodeSelection = result.device().reach().selection();
            boolean bindsToNode = device.bindsToNode() && !features.usesStableAllocator();
            if (!nodeSelection.nodeName().isEmpty() || bindsToNode) {
                return Optional.of(new NodeSelector(List.of(new NodeSelector.Term(
                        List.of(), List.of(new NodeSelector.Requirement("metadata.name", "In", List.of(nodeName)))))));
            }
            List<NodeSelector.Term> terms =
                    nodeSelection.nodeSelector().map(NodeSelector::terms).orElse(List.of());
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
