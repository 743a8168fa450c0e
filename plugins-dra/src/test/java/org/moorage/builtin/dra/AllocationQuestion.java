// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.Node;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.testkit.Nodes;

/** A test's allocation request: claims on node n1, with class gpu, which matches all devices. */
final class AllocationQuestion {
    private Node node = Nodes.named("n1").label("zone", "a").build();
    private final ObjectTable<DeviceClass> classes = ObjectTable.of(DeviceObjects.deviceClass("gpu", "{}"));
    private final List<ResourceSlice> slices = new ArrayList<>();
    private final List<DeviceTaintRule> taintRules = new ArrayList<>();
    private final List<ResourceClaim> allocated = new ArrayList<>();
    private final List<ResourceClaim> claims = new ArrayList<>();
    private FeatureGates gates = FeatureGates.DEFAULTS;
    private BooleanSupplier isTimedOut = () -> false;
    private long shareIdSeed = 1;

    /** Adds a pool of one slice with these devices, which node n1 can use. */
    AllocationQuestion devices(String... devices) {
        return slice("devices: [" + String.join(", ", devices) + "]");
    }

    AllocationQuestion slice(String spec) {
        slices.add(DeviceObjects.slice("s" + slices.size(), spec));
        return this;
    }

    AllocationQuestion deviceClass(String name, String spec) {
        classes.put(DeviceObjects.deviceClass(name, spec));
        return this;
    }

    /** Declares a feature of the node. */
    AllocationQuestion nodeFeature(String feature) {
        node = node.toBuilder().declaredFeatures(List.of(feature)).build();
        return this;
    }

    AllocationQuestion taintRule(String spec) {
        taintRules.add((DeviceTaintRule) DeviceObjects.object(
                "{apiVersion: resource.k8s.io/v1, kind: DeviceTaintRule, metadata: {name: t}, spec: " + spec + "}"));
        return this;
    }

    /** Adds an allocated claim with these results. */
    AllocationQuestion allocated(String... results) {
        allocated.add(DeviceObjects.claim("a" + allocated.size(), "{}", DeviceObjects.allocated(results)));
        return this;
    }

    /** Adds a claim with these requests. */
    AllocationQuestion requests(String... requests) {
        return claim(DeviceObjects.requests(requests));
    }

    /** Adds a claim with this {@code spec.devices}. */
    AllocationQuestion claim(String devices) {
        claims.add(DeviceObjects.claim("c" + claims.size(), devices));
        return this;
    }

    AllocationQuestion feature(String gate, boolean isEnabled) {
        gates = gates.with(gate, isEnabled);
        return this;
    }

    AllocationQuestion timesOutAfter(int looks) {
        int[] left = {looks};
        isTimedOut = () -> left[0]-- <= 0;
        return this;
    }

    AllocationQuestion shareIdSeed(long seed) {
        shareIdSeed = seed;
        return this;
    }

    Allocator allocator() {
        DeviceFeatures features = DeviceFeatures.of(gates);
        AllocatedState state = new AllocatedState(features);
        allocated.forEach(claim -> claim.allocation().ifPresent(state::add));
        return new Allocator(
                ResourceSliceIndex.EMPTY.with(slices, taintRules),
                state,
                name -> classes.get("", name),
                new DeviceSelectors(features),
                features,
                shareIdSeed);
    }

    Allocator.Result ask(Allocator allocator) {
        return allocator.allocate(node, claims, isTimedOut);
    }

    List<DeviceAllocation> allocations() {
        return ask(allocator()).allocations();
    }

    /** The request and device of each result, claims apart by a bar; or why there are none. */
    String answer() {
        try {
            Allocator.Result result = ask(allocator());
            return result.status().isSuccess()
                    ? result.allocations().stream()
                            .map(AllocationQuestion::text)
                            .collect(Collectors.joining(" | "))
                    : result.status().message();
        } catch (AllocationException | AllocationTimeoutException failed) {
            return String.valueOf(failed.getMessage());
        }
    }

    private static String text(DeviceAllocation allocation) {
        return allocation.results().stream().map(AllocationQuestion::text).collect(Collectors.joining(" "));
    }

    private static String text(DeviceAllocation.Result result) {
        String share = new TreeMap<>(result.consumedCapacity())
                .entrySet().stream()
                        .map(consumed -> consumed.getKey() + ":" + consumed.getValue())
                        .collect(Collectors.joining(","));
        return result.request() + "=" + (result.pool().equals("n1") ? "" : result.pool() + "/") + result.device()
                + (result.adminAccess() ? "(admin)" : "") + (share.isEmpty() ? "" : "(" + share + ")");
    }
}
