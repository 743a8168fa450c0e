// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
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
import org.moorage.api.model.NodeReach;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;

/** Makes the objects of {@code resource.k8s.io} for an {@link ObjectDecoder}. */
final class DeviceDecoder {
    private final Function<Located, NodeSelector> nodeSelectors;
    private final Function<Located, PodCondition> conditions;
    private final UnaryOperator<String> sharing;

    /** A decoder that leaves what is not its own to others. */
    DeviceDecoder(
            Function<Located, NodeSelector> nodeSelectors,
            Function<Located, PodCondition> conditions,
            UnaryOperator<String> sharing) {
        this.nodeSelectors = nodeSelectors;
        this.conditions = conditions;
        this.sharing = sharing;
    }

    DeviceClass deviceClass(ObjectMeta metadata, Located root) {
        Located spec = root.object("spec");
        return new DeviceClass(
                metadata,
                spec.list("selectors", DeviceDecoder::selector),
                spec.list("config", DeviceDecoder::config),
                spec.text("extendedResourceName"));
    }

    ResourceSlice slice(ObjectMeta metadata, Located root) {
        Located spec = root.object("spec");
        Located pool = spec.object("pool");
        return new ResourceSlice(
                metadata,
                sharing.apply(spec.text("driver")),
                new ResourceSlice.Pool(
                        sharing.apply(pool.text("name")),
                        pool.longNumber("generation"),
                        pool.longNumber("resourceSliceCount")),
                reach(spec),
                spec.flag("perDeviceNodeSelection"),
                spec.list("devices", this::device),
                spec.list("sharedCounters", set -> counterSet("name", set)));
    }

    DeviceTaintRule taintRule(ObjectMeta metadata, Located root) {
        Located spec = root.object("spec");
        Located selector = spec.object("deviceSelector");
        return new DeviceTaintRule(
                metadata,
                sharing.apply(selector.text("driver")),
                sharing.apply(selector.text("pool")),
                sharing.apply(selector.text("device")),
                taint(spec.object("taint")));
    }

    ResourceClaim claim(ObjectMeta metadata, Located root) {
        Located devices = root.object("spec").object("devices");
        Located status = root.object("status");
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

    private static String selector(Located selector) {
        return selector.object("cel").text("expression");
    }

    private static DeviceConfig config(Located config) {
        return new DeviceConfig(config.texts("requests"), config.jsonWithout("requests", "source"));
    }

    private NodeReach reach(Located object) {
        NodeReach reach = new NodeReach(
                sharing.apply(object.text("nodeName")),
                object.flag("allNodes"),
                object.optional("nodeSelector", nodeSelectors));
        return reach.isEmpty() ? NodeReach.NONE : reach;
    }

    private Device device(Located device) {
        return new Device(
                sharing.apply(device.text("name")),
                device.map("attributes", DeviceDecoder::attribute, sharing),
                device.map("capacity", this::capacity, sharing),
                device.list("consumesCounters", set -> counterSet("counterSet", set)),
                reach(device),
                device.list("taints", DeviceDecoder::taint),
                device.flag("bindsToNode"),
                device.texts("bindingConditions"),
                device.texts("bindingFailureConditions"),
                device.flag("allowMultipleAllocations"),
                device.map("nodeAllocatableResourceMappings", this::nodeResource, sharing));
    }

    private Device.NodeResource nodeResource(Located mapping) {
        return new Device.NodeResource(
                sharing.apply(mapping.text("capacityKey")), mapping.optionalQuantity("allocationMultiplier"));
    }

    private static DeviceTaint taint(Located taint) {
        return new DeviceTaint(taint.text("key"), taint.text("value"), taint.text("effect"));
    }

    private static DeviceAttribute attribute(Located attribute) {
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

    private static DeviceAttribute attributes(Located attribute) {
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

    private DeviceCapacity capacity(Located capacity) {
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

    private CounterSet counterSet(String nameField, Located set) {
        return new CounterSet(
                sharing.apply(set.text(nameField)), set.map("counters", counter -> counter.quantity("value"), sharing));
    }

    private DeviceRequest request(Located request) {
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
                request.list("firstAvailable", alternative -> exactly(alternative.text("name"), alternative)));
    }

    private DeviceRequest exactly(String name, Located exactly) {
        return new DeviceRequest(
                name,
                exactly.text("deviceClassName"),
                exactly.list("selectors", DeviceDecoder::selector),
                exactly.text("allocationMode"),
                exactly.longNumber("count"),
                exactly.flag("adminAccess"),
                exactly.list("tolerations", DeviceDecoder::toleration),
                exactly.object("capacity").quantities("requests", sharing),
                List.of());
    }

    private static DeviceToleration toleration(Located toleration) {
        return new DeviceToleration(
                toleration.text("key"),
                toleration.text("operator"),
                toleration.text("value"),
                toleration.text("effect"),
                toleration.jsonWithout());
    }

    private DeviceAllocation allocation(Located allocation) {
        Located devices = allocation.object("devices");
        return new DeviceAllocation(
                devices.list("results", this::result),
                devices.list(
                        "config",
                        config -> new DeviceAllocation.Config(
                                config.text("source").equals("FromClass"), config(config))),
                allocation.optional("nodeSelector", nodeSelectors),
                Optional.ofNullable(allocation.time("allocationTimestamp")));
    }

    private DeviceAllocation.Result result(Located result) {
        return new DeviceAllocation.Result(
                result.text("request"),
                sharing.apply(result.text("driver")),
                sharing.apply(result.text("pool")),
                sharing.apply(result.text("device")),
                result.flag("adminAccess"),
                result.list("tolerations", DeviceDecoder::toleration),
                result.texts("bindingConditions"),
                result.texts("bindingFailureConditions"),
                result.text("shareID"),
                result.quantities("consumedCapacity", sharing));
    }

    private static ResourceClaim.Consumer consumer(Located consumer) {
        return new ResourceClaim.Consumer(
                consumer.text("apiGroup"), consumer.text("resource"), consumer.text("name"), consumer.text("uid"));
    }

    private ResourceClaim.DeviceReport report(Located report) {
        return new ResourceClaim.DeviceReport(
                report.text("driver"),
                report.text("pool"),
                report.text("device"),
                report.list("conditions", conditions),
                report.jsonWithout());
    }
}
