// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.api.feature.FeatureGates;
import org.moorage.objects.tree.Fields;

/** Defaults of pods and of their templates. */
final class PodDefaults {
    private static final List<String> PROBES = List.of("livenessProbe", "readinessProbe", "startupProbe");

    private static final String PATH_PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
    private static final String HOST_PART = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
    private static final Pattern IMAGE = Pattern.compile("(?![a-f0-9]{64}$)"
            + "(?:(?:" + HOST_PART + "(?:\\." + HOST_PART + ")*|\\[[a-fA-F0-9:]+])(?::[0-9]+)?/)?"
            + PATH_PART + "(?:/" + PATH_PART + ")*"
            + "(?::(?<tag>\\w[\\w.-]{0,127}))?"
            + "(?<digest>@(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}))?");

    private PodDefaults() {}

    /** Completes a pod. */
    static void pod(Fields pod, FeatureGates features) {
        Fields spec = pod.struct("spec");
        spec.each("containers").forEach(PodResourceDefaults::requestsFromLimits);
        spec.each("initContainers").forEach(PodResourceDefaults::requestsFromLimits);
        if (features.isEnabled(FeatureGates.POD_LEVEL_RESOURCES)
                && !features.isEnabled(FeatureGates.POD_LEVEL_RESOURCES_FIX_DEFAULTING)) {
            PodResourceDefaults.podAsAWholeBeforeAdmission(spec);
        }
        if (spec.node().path("terminationGracePeriodSeconds").asLong(0) < 0) {
            spec.node().put("terminationGracePeriodSeconds", 1);
        }
        spec.whenAbsent("enableServiceLinks", true);
        if (spec.node().path("hostNetwork").asBoolean()) {
            spec.each("containers").forEach(PodDefaults::hostPorts);
            spec.each("initContainers").forEach(PodDefaults::hostPorts);
        }
        podSpec(spec);
        status(pod);
    }

    /** Completes the status of a pod. */
    static void status(Fields pod) {
        pod.pointer("status").ifPresent(PodDefaults::podStatus);
    }

    private static void hostPorts(Fields container) {
        for (Fields port : container.each("ports")) {
            if (port.isBlank("hostPort") && !port.isBlank("containerPort")) {
                port.node().set("hostPort", port.node().path("containerPort"));
            }
        }
    }

    /** Completes the template of a pod. */
    static void podTemplate(Fields template) {
        podSpec(template.struct("spec"));
    }

    private static void podSpec(Fields spec) {
        spec.whenBlank("dnsPolicy", "ClusterFirst");
        spec.whenBlank("restartPolicy", "Always");
        spec.whenAbsent("securityContext", JsonNodeFactory.instance.objectNode());
        serviceAccount(spec);
        spec.whenAbsent("terminationGracePeriodSeconds", 30);
        spec.whenBlank("schedulerName", "default-scheduler");
        spec.each("volumes").forEach(PodDefaults::volume);
        spec.each("initContainers").forEach(PodDefaults::container);
        spec.each("containers").forEach(PodDefaults::container);
        spec.each("ephemeralContainers").forEach(PodDefaults::container);
        ResourceListDefaults.roundUp(spec, "overhead");
        spec.pointer("resources").ifPresent(ResourceListDefaults::roundUpRequirements);
    }

    // An older name of the same field.
    private static void serviceAccount(Fields spec) {
        if (spec.isBlank("serviceAccountName") && !spec.isBlank("serviceAccount")) {
            spec.node().set("serviceAccountName", spec.node().path("serviceAccount"));
        }
        if (!spec.isBlank("serviceAccountName")) {
            spec.node().set("serviceAccount", spec.node().path("serviceAccountName"));
        }
    }

    private static void volume(Fields volume) {
        VolumeSourceDefaults.volumeSource(volume);
        boolean hasSource = volume.node().properties().stream()
                .anyMatch(field ->
                        !field.getKey().equals("name") && !field.getValue().isNull());
        if (!hasSource) {
            volume.struct("emptyDir");
        }
    }

    private static void container(Fields container) {
        container.whenBlank("imagePullPolicy", pullPolicy(container.node().path("image")));
        container.whenBlank("terminationMessagePath", "/dev/termination-log");
        container.whenBlank("terminationMessagePolicy", "File");
        container.each("ports").forEach(port -> port.whenBlank("protocol", "TCP"));
        for (Fields variable : container.each("env")) {
            variable.pointer("valueFrom").ifPresent(source -> {
                VolumeSourceDefaults.fieldRef(source);
                source.pointer("fileKeyRef").ifPresent(file -> file.whenAbsent("optional", false));
            });
        }
        container.pointer("resources").ifPresent(ResourceListDefaults::roundUpRequirements);
        PROBES.forEach(name -> container.pointer(name).ifPresent(PodDefaults::probe));
        container.pointer("lifecycle").ifPresent(lifecycle -> {
            lifecycle.pointer("postStart").ifPresent(PodDefaults::httpGet);
            lifecycle.pointer("preStop").ifPresent(PodDefaults::httpGet);
        });
    }

    /** Returns the pull policy of an image: Always if its tag is latest or absent. */
    static String pullPolicy(JsonNode image) {
        Matcher name = IMAGE.matcher(image.asText(""));
        if (!name.matches()) {
            return "IfNotPresent";
        }
        String tag = name.group("tag");
        boolean latest = tag == null ? name.group("digest") == null : tag.equals("latest");
        return latest ? "Always" : "IfNotPresent";
    }

    private static void probe(Fields probe) {
        probe.whenBlank("timeoutSeconds", 1);
        probe.whenBlank("periodSeconds", 10);
        probe.whenBlank("successThreshold", 1);
        probe.whenBlank("failureThreshold", 3);
        httpGet(probe);
        probe.pointer("grpc").ifPresent(grpc -> grpc.whenAbsent("service", ""));
    }

    private static void httpGet(Fields handler) {
        handler.pointer("httpGet").ifPresent(get -> {
            get.whenBlank("path", "/");
            get.whenBlank("scheme", "HTTP");
        });
    }

    private static void podStatus(Fields status) {
        podAddresses(status);
        for (String list : List.of("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")) {
            for (Fields container : status.each(list)) {
                ResourceListDefaults.roundUp(container, "allocatedResources");
                container.pointer("resources").ifPresent(ResourceListDefaults::roundUpRequirements);
            }
        }
        ResourceListDefaults.roundUp(status, "allocatedResources");
        status.pointer("resources").ifPresent(ResourceListDefaults::roundUpRequirements);
    }

    // The first address stands in two fields; where they differ, it is the one that stands alone.
    private static void podAddresses(Fields status) {
        JsonNode first = status.node().path("podIPs").path(0).path("ip");
        if (status.isBlank("podIP")) {
            if (first.isTextual()) {
                status.node().set("podIP", first);
            }
        } else if (!first.equals(status.node().path("podIP"))) {
            status.node().putArray("podIPs").addObject().set("ip", status.node().path("podIP"));
        }
    }
}
