// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.simulation.internal.admission.Defaulting;

/** Objects for tests, from YAML without the usual parts. */
final class DeviceObjects {
    static final String DRIVER = "gpu.example.com";
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final List<String> NODE_SELECTION =
            List.of("nodeName", "allNodes", "nodeSelector", "perDeviceNodeSelection");

    private DeviceObjects() {}

    /** The object of a manifest, with Kubernetes' defaults. */
    static ClusterObject object(String yaml) {
        return decode(tree(yaml));
    }

    // The braces of a flow mapping are optional.
    private static ObjectNode tree(String yaml) {
        try {
            return YAML.readValue(yaml.startsWith("{") ? yaml : "{" + yaml + "}", ObjectNode.class);
        } catch (JsonProcessingException invalid) {
            throw new IllegalArgumentException(yaml, invalid);
        }
    }

    private static ClusterObject decode(ObjectNode tree) {
        Defaulting.apply(tree);
        return new TreeDecoder().decode(tree);
    }

    private static ObjectNode manifest(String kind, String name) {
        ObjectNode tree = YAML.createObjectNode();
        tree.put("apiVersion", "resource.k8s.io/v1").put("kind", kind);
        tree.putObject("metadata").put("name", name);
        return tree;
    }

    /** A slice of the test driver; if the YAML does not say otherwise, the whole pool n1, for node n1. */
    static ResourceSlice slice(String name, String spec) {
        ObjectNode tree = manifest("ResourceSlice", name);
        ObjectNode content = tree.putObject("spec").put("driver", DRIVER);
        content.putObject("pool").put("name", "n1").put("generation", 1).put("resourceSliceCount", 1);
        ObjectNode given = tree(spec);
        if (NODE_SELECTION.stream().noneMatch(given::has) && !given.has("sharedCounters")) {
            content.put("nodeName", "n1");
        }
        content.setAll(given);
        return (ResourceSlice) decode(tree);
    }

    /** A class with this specification. */
    static DeviceClass deviceClass(String name, String spec) {
        ObjectNode tree = manifest("DeviceClass", name);
        tree.set("spec", tree(spec));
        return (DeviceClass) decode(tree);
    }

    /** A claim of the default namespace with this {@code spec.devices}; its uid is its name. */
    static ResourceClaim claim(String name, String devices) {
        return claim(name, devices, "{}");
    }

    /** A claim with a status. */
    static ResourceClaim claim(String name, String devices, String status) {
        ObjectNode tree = manifest("ResourceClaim", name);
        tree.withObject("metadata").put("namespace", "default").put("uid", name);
        tree.putObject("spec").set("devices", tree(devices));
        tree.set("status", tree(status));
        return (ResourceClaim) decode(tree);
    }

    /**
     * The status of an allocated claim with these results; driver, pool and request are there if they do not say
     * otherwise.
     */
    static String allocated(String... results) {
        StringBuilder text = new StringBuilder("{allocation: {devices: {results: [");
        for (String result : results) {
            ObjectNode complete = YAML.createObjectNode();
            complete.put("request", "r").put("driver", DRIVER).put("pool", "n1");
            complete.setAll(tree(result));
            text.append(complete).append(", ");
        }
        return text.append("]}}}").toString();
    }

    /** A request of class gpu. */
    static String exactly(String name, String more) {
        return "{name: " + name + ", exactly: {deviceClassName: gpu, " + more + "}}";
    }

    /** A request with subrequests. */
    static String firstAvailable(String name, String... subrequests) {
        return "{name: " + name + ", firstAvailable: [" + String.join(", ", subrequests) + "]}";
    }

    /** A subrequest of class gpu. */
    static String subrequest(String name, String more) {
        return "{name: " + name + ", deviceClassName: gpu, " + more + "}";
    }

    /** The {@code spec.devices} of a claim with these requests. */
    static String requests(String... requests) {
        return "requests: [" + String.join(", ", requests) + "]";
    }
}
