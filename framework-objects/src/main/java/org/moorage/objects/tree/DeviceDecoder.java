// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.CounterSet;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceAttribute;
import org.moorage.api.model.DeviceCapacity;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceConfig;
import org.moorage.api.model.DeviceConstraint;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.DeviceTaint;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.DeviceToleration;
import org.moorage.api.model.NodeSelection;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;

/** Decodes the kinds of {@code resource.k8s.io}. */
final class DeviceDecoder {
    private final SharedValues shared;
    private final SelectorDecoder selectors;
    private final PodDecoder pods;

    DeviceDecoder(SharedValues shared, SelectorDecoder selectors, PodDecoder pods) {
        this.shared = shared;
        this.selectors = selectors;
        this.pods = pods;
    }

    DeviceClass deviceClass(ObjectMeta metadata, FieldReader root) {
        FieldReader spec = root.object("spec");
        return new DeviceClass(
                metadata,
                spec.list("selectors", DeviceDecoder::selector),
                spec.list("config", DeviceDecoder::config),
                spec.text("extendedResourceName"));
    }

    ResourceSlice slice(ObjectMeta metadata, FieldReader root) {
        FieldReader spec = root.object("spec");
        FieldReader pool = spec.object("pool");
        return new ResourceSlice(
                metadata,
                shared.text(spec.text("driver")),
                new ResourceSlice.Pool(
                        shared.text(pool.text("name")),
                        pool.longNumber("generation"),
                        pool.longNumber("resourceSliceCount")),
                reach(spec),
                spec.flag("perDeviceNodeSelection"),
                spec.list("devices", this::device),
                spec.list("sharedCounters", this::counterSet),
                spec.texts("skipNodeOperations"));
    }

    DeviceTaintRule taintRule(ObjectMeta metadata, FieldReader root) {
        FieldReader spec = root.object("spec");
        return new DeviceTaintRule(
                metadata,
                spec.optional(
                        "deviceSelector",
                        selector -> new DeviceTaintRule.Selector(
                                shared.text(selector.text("driver")),
                                shared.text(selector.text("pool")),
                                shared.text(selector.text("device")))),
                taint(spec.object("taint")));
    }

    ResourceClaim claim(ObjectMeta metadata, FieldReader root) {
        FieldReader devices = root.object("spec").object("devices");
        FieldReader status = root.object("status");
        return new ResourceClaim(
                metadata,
                root.object("metadata").texts("finalizers"),
                devices.list("requests", this::request),
                devices.list(
                        "constraints",
                        constraint -> new DeviceConstraint(
                                constraint.texts("requests"),
                                constraint.text("matchAttribute"),
                                constraint.text("distinctAttribute"))),
                devices.list("config", DeviceDecoder::config),
                status.optional("allocation", this::allocation),
                status.list("reservedFor", DeviceDecoder::consumer),
                status.list("devices", this::report));
    }

    private static String selector(FieldReader selector) {
        return selector.object("cel").text("expression");
    }

    private static DeviceConfig config(FieldReader config) {
        return new DeviceConfig(config.texts("requests"), config.jsonWithout("requests", "source"));
    }

    private NodeSelection reach(FieldReader object) {
        NodeSelection reach = new NodeSelection(
                shared.text(object.text("nodeName")),
                object.flag("allNodes"),
                object.optional("nodeSelector", selectors::nodeSelector));
        return reach.isEmpty() ? NodeSelection.NONE : reach;
    }

    private Device device(FieldReader device) {
        return new Device(
                shared.text(device.text("name")),
                device.map("attributes", DeviceDecoder::attribute, shared::text),
                device.map("capacity", this::capacity, shared::text),
                device.list("consumesCounters", this::counterConsumption),
                reach(device),
                device.list("taints", DeviceDecoder::taint),
                device.flag("bindsToNode"),
                device.texts("bindingConditions"),
                device.texts("bindingFailureConditions"),
                device.flag("allowMultipleAllocations"),
                device.map("nodeAllocatableResources", this::nodeResource, shared::text));
    }

    private Device.NodeAllocatableResource nodeResource(FieldReader resource) {
        return new Device.NodeAllocatableResource(
                resource.optional(
                        "mapping",
                        mapping -> new Device.NodeAllocatableMapping(
                                shared.text(mapping.text("capacityKey")),
                                mapping.optionalQuantity("capacityMultiplier"),
                                mapping.optionalQuantity("deviceMultiplier"))),
                resource.optional("overhead", PodDecoder::overhead));
    }

    private static DeviceTaint taint(FieldReader taint) {
        return new DeviceTaint(taint.text("key"), taint.text("value"), taint.text("effect"));
    }

    private static DeviceAttribute attribute(FieldReader attribute) {
        if (attribute.has("int")) {
            return new DeviceAttribute.Number(attribute.longNumber("int"));
        }
        if (attribute.has("bool")) {
            return new DeviceAttribute.Flag(attribute.flag("bool"));
        }
        if (attribute.has("string")) {
            return new DeviceAttribute.Text(attribute.text("string"));
        }
        return attribute.has("version")
                ? new DeviceAttribute.Version(attribute.text("version"))
                : attributes(attribute);
    }

    private static DeviceAttribute attributes(FieldReader attribute) {
        if (attribute.has("ints")) {
            return several(attribute.values("ints", one -> new DeviceAttribute.Number(one.longNumber(""))));
        }
        if (attribute.has("bools")) {
            return several(attribute.values("bools", one -> new DeviceAttribute.Flag(one.flag(""))));
        }
        if (attribute.has("strings")) {
            return several(attribute.values("strings", one -> new DeviceAttribute.Text(one.text(""))));
        }
        return attribute.has("versions")
                ? several(attribute.values("versions", one -> new DeviceAttribute.Version(one.text(""))))
                : new DeviceAttribute.Unknown();
    }

    private static DeviceAttribute several(List<? extends DeviceAttribute> values) {
        return new DeviceAttribute.Several(List.copyOf(values));
    }

    private DeviceCapacity capacity(FieldReader capacity) {
        return new DeviceCapacity(
                capacity.quantity("value"),
                capacity.optional(
                        "requestPolicy",
                        policy -> new DeviceCapacity.RequestPolicy(
                                policy.optionalQuantity("default"),
                                policy.quantityList("validValues"),
                                policy.optional(
                                        "validRange",
                                        range -> new DeviceCapacity.ValidRange(
                                                range.optionalQuantity("min"),
                                                range.optionalQuantity("max"),
                                                range.optionalQuantity("step"))))));
    }

    private CounterSet counterSet(FieldReader set) {
        return new CounterSet(shared.text(set.text("name")), counters(set));
    }

    private Device.CounterConsumption counterConsumption(FieldReader consumed) {
        return new Device.CounterConsumption(
                shared.text(consumed.text("counterSet")),
                counters(consumed),
                new HashSet<>(consumed.texts("compatibilityGroups")));
    }

    private Map<String, Quantity> counters(FieldReader parent) {
        return parent.map("counters", counter -> counter.quantity("value"), shared::text);
    }

    private DeviceRequest request(FieldReader request) {
        String name = request.text("name");
        if (request.has("exactly")) {
            return exactly(name, request.object("exactly"));
        }
        return new DeviceRequest(
                name,
                "",
                List.of(),
                "",
                0,
                false,
                List.of(),
                Map.of(),
                Map.of(),
                request.list("firstAvailable", alternative -> exactly(alternative.text("name"), alternative)));
    }

    private DeviceRequest exactly(String name, FieldReader exactly) {
        return new DeviceRequest(
                name,
                exactly.text("deviceClassName"),
                exactly.list("selectors", DeviceDecoder::selector),
                exactly.text("allocationMode"),
                exactly.longNumber("count"),
                exactly.flag("adminAccess"),
                exactly.list("tolerations", DeviceDecoder::toleration),
                exactly.object("capacity").quantities("requests", shared::text),
                derivedAttributes(exactly),
                List.of());
    }

    private static Map<String, String> derivedAttributes(FieldReader request) {
        return request.byName("derivedAttributes", derived -> derived.text("expression"), name -> name);
    }

    private static DeviceToleration toleration(FieldReader toleration) {
        return new DeviceToleration(
                toleration.text("key"),
                toleration.text("operator"),
                toleration.text("value"),
                toleration.text("effect"),
                toleration.jsonWithout());
    }

    private DeviceAllocation allocation(FieldReader allocation) {
        FieldReader devices = allocation.object("devices");
        return new DeviceAllocation(
                devices.list("results", this::result),
                devices.list(
                        "config",
                        config -> new DeviceAllocation.Config(
                                config.text("source").equals("FromClass"), config(config))),
                allocation.optional("nodeSelector", selectors::nodeSelector),
                Optional.ofNullable(allocation.time("allocationTimestamp")));
    }

    private DeviceAllocation.Result result(FieldReader result) {
        return new DeviceAllocation.Result(
                result.text("request"),
                shared.text(result.text("driver")),
                shared.text(result.text("pool")),
                shared.text(result.text("device")),
                result.flag("adminAccess"),
                result.list("tolerations", DeviceDecoder::toleration),
                result.texts("bindingConditions"),
                result.texts("bindingFailureConditions"),
                result.text("shareID"),
                result.quantities("consumedCapacity", shared::text),
                result.texts("skipNodeOperations"));
    }

    private static ResourceClaim.Consumer consumer(FieldReader consumer) {
        return new ResourceClaim.Consumer(
                consumer.text("apiGroup"), consumer.text("resource"), consumer.text("name"), consumer.text("uid"));
    }

    private ResourceClaim.AllocatedDeviceStatus report(FieldReader report) {
        return new ResourceClaim.AllocatedDeviceStatus(
                report.text("driver"),
                report.text("pool"),
                report.text("device"),
                report.list("conditions", pods::condition),
                report.jsonWithout());
    }
}
