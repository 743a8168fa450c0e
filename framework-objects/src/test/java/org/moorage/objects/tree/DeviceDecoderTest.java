// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.CounterSet;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAttribute;
import org.moorage.api.model.DeviceCapacity;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceConstraint;
import org.moorage.api.model.DeviceTaint;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.objects.KeptJson;

class DeviceDecoderTest {
    private static final TreeDecoder DECODER = new TreeDecoder();

    @Test
    void readsTaintRules() throws IOException {
        DeviceTaintRule rule = DECODER.decode(ObjectKind.DEVICE_TAINT_RULE, ObjectStreams.object("""
            {"metadata": {"name": "worn"}, "spec": {
              "deviceSelector": {"driver": "gpu.example.com", "device": "gpu-0"},
              "taint": {"key": "k", "value": "v", "effect": "NoSchedule"}}}\
            """), KeptJson.NONE);
        DeviceTaint taint = new DeviceTaint("k", "v", "NoSchedule");
        assertThat(rule)
                .isEqualTo(new DeviceTaintRule(
                        rule.metadata(),
                        Optional.of(new DeviceTaintRule.Selector("gpu.example.com", "", "gpu-0")),
                        taint));
    }

    @Test
    void distinguishesAnEmptySelectorFromNone() throws IOException {
        assertThat(selector("{\"spec\": {\"deviceSelector\": {}}}")).contains(new DeviceTaintRule.Selector("", "", ""));
        assertThat(selector("{\"spec\": {}}")).isEmpty();
    }

    private static Optional<DeviceTaintRule.Selector> selector(String json) throws IOException {
        return DECODER.decode(ObjectKind.DEVICE_TAINT_RULE, ObjectStreams.object(json), KeptJson.NONE)
                .deviceSelector();
    }

    @Test
    void readsSlices() throws IOException {
        ResourceSlice slice = DECODER.decode(ObjectKind.RESOURCE_SLICE, ObjectStreams.object("""
            {"metadata": {"name": "s"}, "spec": {
              "driver": "gpu.example.com", "perDeviceNodeSelection": true,
              "pool": {"name": "p", "generation": 3, "resourceSliceCount": 2},
              "skipNodeOperations": ["*"],
              "sharedCounters": [{"name": "mem", "counters": {"memory": {"value": "40Gi"}}}],
              "devices": [{
                "name": "gpu-0", "allNodes": true, "bindsToNode": true, "allowMultipleAllocations": true,
                "attributes": {"a": {"string": "x"}, "b": {"int": 2}, "c": {"bool": true},
                               "d": {"version": "1.2.3"}, "e": {"strings": ["x"]}, "f": {"ints": [1, 2]}, "g": {}},
                "capacity": {"memory": {"value": "8Gi", "requestPolicy": {
                  "default": "1Gi", "validRange": {"min": "1Gi", "step": "1Gi"}}}},
                "consumesCounters": [{"counterSet": "mem", "counters": {"memory": {"value": "8Gi"}},
                                      "compatibilityGroups": ["x", "y"]}],
                "nodeAllocatableResources": {
                  "cpu": {"mapping": {"capacityKey": "memory", "capacityMultiplier": "2"}},
                  "memory": {"mapping": {"deviceMultiplier": "1Gi"}, "overhead": {"perPod": "1Gi"}}},
                "taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}],
                "bindingConditions": ["ready"], "bindingFailureConditions": ["failed"]}]}}\
            """), KeptJson.NONE);
        assertThat(slice.pool()).isEqualTo(new ResourceSlice.Pool("p", 3, 2));
        assertThat(slice.perDeviceNodeSelection()).isTrue();
        assertThat(slice.sharedCounters())
                .containsExactly(new CounterSet("mem", Map.of("memory", Quantity.parse("40Gi"))));
        Device device = slice.devices().get(0);
        assertThat(device.nodeSelection().allNodes()).isTrue();
        assertThat(device.attributes())
                .containsOnly(
                        Map.entry("a", new DeviceAttribute.Text("x")),
                        Map.entry("b", new DeviceAttribute.Number(2)),
                        Map.entry("c", new DeviceAttribute.Flag(true)),
                        Map.entry("d", new DeviceAttribute.Version("1.2.3")),
                        Map.entry("e", new DeviceAttribute.Several(List.of(new DeviceAttribute.Text("x")))),
                        Map.entry(
                                "f",
                                new DeviceAttribute.Several(
                                        List.of(new DeviceAttribute.Number(1), new DeviceAttribute.Number(2)))),
                        Map.entry("g", new DeviceAttribute.Unknown()));
        Quantity unit = Quantity.parse("1Gi");
        assertThat(device.capacity())
                .containsOnly(Map.entry(
                        "memory",
                        new DeviceCapacity(
                                Quantity.parse("8Gi"),
                                Optional.of(new DeviceCapacity.RequestPolicy(
                                        Optional.of(unit),
                                        List.of(),
                                        Optional.of(new DeviceCapacity.ValidRange(
                                                Optional.of(unit), Optional.empty(), Optional.of(unit))))))));
        assertThat(device.consumesCounters())
                .containsExactly(new Device.CounterConsumption(
                        "mem", Map.of("memory", Quantity.parse("8Gi")), Set.of("x", "y")));
        assertThat(device.nodeAllocatableResources())
                .containsOnly(
                        Map.entry(
                                "cpu",
                                new Device.NodeAllocatableResource(
                                        Optional.of(new Device.NodeAllocatableMapping(
                                                "memory", Optional.of(Quantity.of(2)), Optional.empty())),
                                        Optional.empty())),
                        Map.entry(
                                "memory",
                                new Device.NodeAllocatableResource(
                                        Optional.of(new Device.NodeAllocatableMapping(
                                                "", Optional.empty(), Optional.of(unit))),
                                        Optional.of(new Device.NodeAllocatableOverhead(
                                                Optional.of(unit), Optional.empty())))));
        assertThat(slice.skipNodeOperations()).containsExactly("*");
        assertThat(device.taints()).containsExactly(new DeviceTaint("k", "v", "NoSchedule"));
        assertThat(device.bindingConditions()).containsExactly("ready");
        assertThat(device.bindingFailureConditions()).containsExactly("failed");
        assertThat(device.bindsToNode() && device.allowsMultipleAllocations()).isTrue();
    }

    @Test
    void readsClaims() throws IOException {
        ResourceClaim claim = DECODER.decode(ObjectKind.RESOURCE_CLAIM, ObjectStreams.object("""
            {"metadata": {"name": "c", "namespace": "default", "finalizers": ["a"]},
             "spec": {"devices": {
               "requests": [
                 {"name": "r", "exactly": {"deviceClassName": "gpu", "allocationMode": "All",
                                            "derivedAttributes": [{"name": "x.org/y", "expression": "1"}]}},
                 {"name": "q", "firstAvailable": [{"name": "s", "deviceClassName": "nic", "count": 2}]}],
               "constraints": [{"requests": ["r"], "matchAttribute": "x.org/numa"}],
               "config": [{"requests": ["r"], "opaque": {"driver": "d"}}]}},
             "status": {
               "allocation": {
                 "allocationTimestamp": "2026-01-01T00:00:00Z",
                 "devices": {"results": [{"request": "r", "driver": "d", "pool": "p", "device": "x",
                                          "shareID": "1", "consumedCapacity": {"memory": "1Gi"},
                                          "skipNodeOperations": ["*"]}]}},
               "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}]}}\
            """), KeptJson.NONE);
        assertThat(claim.finalizers()).containsExactly("a");
        assertThat(claim.requests().get(0).requestsAll()).isTrue();
        assertThat(claim.requests().get(0).derivedAttributes()).containsOnly(Map.entry("x.org/y", "1"));
        assertThat(claim.allocation().orElseThrow().skipsNodeOperations()).isTrue();
        assertThat(claim.requests().get(1).alternatives()).singleElement().satisfies(alternative -> {
            assertThat(alternative.name()).isEqualTo("s");
            assertThat(alternative.count()).isEqualTo(2);
        });
        assertThat(claim.constraints()).containsExactly(new DeviceConstraint(List.of("r"), "x.org/numa", ""));
        assertThat(claim.config().get(0).json()).isEqualTo("{\"opaque\":{\"driver\":\"d\"}}");
        assertThat(claim.allocation().orElseThrow().time()).contains(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(claim.allocation().orElseThrow().results().get(0).consumedCapacity())
                .containsOnly(Map.entry("memory", Quantity.parse("1Gi")));
        assertThat(claim.reservedFor()).containsExactly(new ResourceClaim.Consumer("", "pods", "p", "u"));
    }

    @Test
    void readsClasses() throws IOException {
        DeviceClass gpu = DECODER.decode(ObjectKind.DEVICE_CLASS, ObjectStreams.object("""
            {"metadata": {"name": "gpu"}, "spec": {"extendedResourceName": "example.com/gpu",
             "selectors": [{"cel": {"expression": "true"}}]}}\
            """), KeptJson.NONE);
        assertThat(gpu.selectors()).containsExactly("true");
        assertThat(DeviceClass.forExtendedResource("example.com/gpu", List.of(gpu)))
                .contains(gpu);
        assertThat(DeviceClass.forExtendedResource("deviceclass.resource.kubernetes.io/gpu", List.of(gpu)))
                .contains(gpu);
        assertThat(DeviceClass.forExtendedResource("cpu", List.of(gpu))).isEmpty();
    }
}
