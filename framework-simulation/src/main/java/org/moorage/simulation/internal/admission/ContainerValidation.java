// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.objects.tree.Fields;

/**
 * The validation of the containers of a pod or template, except for fields that only a kubelet reads: variables,
 * probes, security.
 */
final class ContainerValidation {
    private static final int LARGEST_PORT = 65_535;
    private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
    private static final List<String> PULL_POLICIES = List.of("Always", "IfNotPresent", "Never");
    private static final List<String> MESSAGE_POLICIES = List.of("File", "FallbackToLogsOnError");
    private static final List<String> RESTART_POLICIES = List.of("Always", "Never", "OnFailure");
    private static final List<String> RESIZED = List.of("cpu", "memory");
    private static final List<String> RESIZE_POLICIES = List.of("NotRequired", "RestartContainer");
    private static final List<String> NOT_OF_INIT_CONTAINERS =
            List.of("lifecycle", "livenessProbe", "readinessProbe", "startupProbe");

    private final Fields spec;
    private final String path;
    private final Map<String, Fields> volumes;
    private final Set<String> claims;
    private final FieldErrors errors;

    /**
     * The containers of a pod.
     *
     * @param spec the pod's specification
     * @param path where that is
     * @param volumes the pod's volumes by name, without wrong ones
     * @param claims the names of the pod's resource claims
     */
    ContainerValidation(Fields spec, String path, Map<String, Fields> volumes, Set<String> claims, FieldErrors errors) {
        this.spec = spec;
        this.path = path;
        this.volumes = volumes;
        this.claims = claims;
        this.errors = errors;
    }

    /**
     * Validates all containers.
     *
     * @param isStrict whether there must be a container, an image for each, and limits of extended resources
     */
    void check(boolean isStrict) {
        List<Fields> containers = spec.each("containers");
        String list = path + ".containers";
        if (containers.isEmpty() && isStrict) {
            errors.required(list, "");
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < containers.size(); i++) {
            Fields container = containers.get(i);
            String own = list + "[" + i + "]";
            common(container, isStrict, own);
            if (!names.add(container.text("name"))) {
                errors.duplicate(own + ".name", container.text("name"));
            }
            restartPolicy(container, own);
        }
        hostPorts(containers, list);
        initContainers(names, isStrict);
    }

    private void initContainers(Set<String> names, boolean isStrict) {
        List<Fields> containers = spec.each("initContainers");
        String list = path + ".initContainers";
        for (int i = 0; i < containers.size(); i++) {
            Fields container = containers.get(i);
            String own = list + "[" + i + "]";
            common(container, isStrict, own);
            restartPolicy(container, own);
            if (!names.add(container.text("name"))) {
                errors.duplicate(own + ".name", container.text("name"));
            }
            hostPorts(List.of(container), list);
            if (!container.text("restartPolicy").equals("Always")) {
                for (String field : NOT_OF_INIT_CONTAINERS) {
                    if (!container.isAbsent(field)) {
                        errors.forbidden(
                                own + "." + field, "may not be set for init containers without restartPolicy=Always");
                    }
                }
            }
        }
    }

    private void common(Fields container, boolean isStrict, String own) {
        if (container.isBlank("name")) {
            errors.required(own + ".name", "");
        } else {
            errors.invalid(own + ".name", container.text("name"), NameRules.label(container.text("name")));
        }
        if (container.isBlank("image") && isStrict) {
            errors.required(own + ".image", "");
        }
        oneOf(container, "terminationMessagePolicy", MESSAGE_POLICIES, own);
        ports(container, own + ".ports");
        mounts(container, own + ".volumeMounts");
        devices(container, own + ".volumeDevices");
        oneOf(container, "imagePullPolicy", PULL_POLICIES, own);
        container
                .pointer("resources")
                .ifPresent(resources ->
                        ResourceValidation.ofContainer(resources, claims, isStrict, own + ".resources", errors));
        resizePolicy(container, own + ".resizePolicy");
    }

    private void oneOf(Fields container, String field, List<String> supported, String own) {
        if (!container.isBlank(field) && !supported.contains(container.text(field))) {
            errors.notSupported(own + "." + field, container.text(field), supported);
        }
    }

    private void restartPolicy(Fields container, String own) {
        oneOf(container, "restartPolicy", RESTART_POLICIES, own);
        if (container.isAbsent("restartPolicy") && !container.isEmpty("restartPolicyRules")) {
            errors.required(own + ".restartPolicy", "must specify restartPolicy when restart rules are used");
        }
    }

    private void ports(Fields container, String list) {
        List<Fields> ports = container.each("ports");
        Set<String> names = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            Fields port = ports.get(i);
            String own = list + "[" + i + "]";
            String name = port.text("name");
            if (!name.isEmpty()) {
                List<String> broken = NameRules.port(name);
                errors.invalid(own + ".name", name, broken);
                if (broken.isEmpty() && !names.add(name)) {
                    errors.duplicate(own + ".name", name);
                }
            }
            if (port.isBlank("containerPort")) {
                errors.required(own + ".containerPort", "");
            }
            inRange(port, "containerPort", own);
            inRange(port, "hostPort", own);
            oneOf(port, "protocol", PROTOCOLS, own);
        }
    }

    private void inRange(Fields port, String field, String own) {
        int number = port.number(field, 0);
        if (number < 0 || number > LARGEST_PORT) {
            errors.invalid(own + "." + field, number, "must be between 1 and " + LARGEST_PORT + ", inclusive");
        }
    }

    private void hostPorts(List<Fields> containers, String list) {
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < containers.size(); i++) {
            List<Fields> ports = containers.get(i).each("ports");
            for (int j = 0; j < ports.size(); j++) {
                Fields port = ports.get(j);
                String key = port.text("protocol") + "/" + port.text("hostIP") + "/" + port.number("hostPort", 0);
                if (!port.isBlank("hostPort") && !taken.add(key)) {
                    errors.duplicate(list + "[" + i + "].ports[" + j + "].hostPort", key);
                }
            }
        }
    }

    private void mounts(Fields container, String list) {
        List<Fields> mounts = container.each("volumeMounts");
        Map<String, String> devices = byName(container, "volumeDevices", "devicePath");
        Set<String> paths = new HashSet<>();
        for (int i = 0; i < mounts.size(); i++) {
            String name = mounts.get(i).text("name");
            String mountPath = mounts.get(i).text("mountPath");
            String own = list + "[" + i + "]";
            if (name.isEmpty()) {
                errors.required(own + ".name", "");
            }
            if (!volumes.containsKey(name)) {
                errors.notFound(own + ".name", name, "");
            }
            if (mountPath.isEmpty()) {
                errors.required(own + ".mountPath", "");
            }
            if (!paths.add(mountPath)) {
                errors.invalid(own + ".mountPath", mountPath, "must be unique");
            }
            if (devices.containsKey(name)) {
                errors.invalid(own + ".name", name, "must not already exist in volumeDevices");
            }
            if (devices.containsValue(mountPath)) {
                errors.invalid(own + ".mountPath", mountPath, "must not already exist as a path in volumeDevices");
            }
        }
    }

    private void devices(Fields container, String list) {
        List<Fields> devices = container.each("volumeDevices");
        Map<String, String> mounts = byName(container, "volumeMounts", "mountPath");
        Set<String> names = new HashSet<>();
        Set<String> paths = new HashSet<>();
        for (int i = 0; i < devices.size(); i++) {
            String name = devices.get(i).text("name");
            String devicePath = devices.get(i).text("devicePath");
            String own = list + "[" + i + "]";
            if (name.isEmpty()) {
                errors.required(own + ".name", "");
            }
            if (!name.isEmpty() && !names.add(name)) {
                errors.invalid(own + ".name", name, "must be unique");
            }
            Fields volume = volumes.get(name);
            if (volume == null) {
                errors.notFound(own + ".name", name, "");
            } else if (volume.isAbsent("persistentVolumeClaim") && volume.isAbsent("ephemeral")) {
                errors.invalid(
                        own + ".name",
                        name,
                        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
            }
            if (devicePath.isEmpty()) {
                errors.required(own + ".devicePath", "");
            }
            if (!paths.add(devicePath)) {
                errors.invalid(own + ".devicePath", devicePath, "must be unique");
            }
            if (mounts.containsKey(name)) {
                errors.invalid(own + ".name", name, "must not already exist in volumeMounts");
            }
            if (mounts.containsValue(devicePath)) {
                errors.invalid(own + ".devicePath", devicePath, "must not already exist as a path in volumeMounts");
            }
        }
    }

    private static Map<String, String> byName(Fields container, String list, String value) {
        Map<String, String> byName = new TreeMap<>();
        container.each(list).forEach(entry -> byName.put(entry.text("name"), entry.text(value)));
        return byName;
    }

    private void resizePolicy(Fields container, String list) {
        Set<String> resources = new HashSet<>();
        JsonNode policies = container.node().path("resizePolicy");
        for (int i = 0; i < policies.size(); i++) {
            String resource = policies.path(i).path("resourceName").asText("");
            String policy = policies.path(i).path("restartPolicy").asText("");
            if (!resources.add(resource)) {
                errors.duplicate(list + "[" + i + "]", resource);
            }
            oneOf(resource, RESIZED, list);
            oneOf(policy, RESIZE_POLICIES, list);
            if (spec.text("restartPolicy").equals("Never") && !policy.equals("NotRequired")) {
                errors.invalid(list, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
            }
        }
    }

    private void oneOf(String value, List<String> supported, String where) {
        if (value.isEmpty()) {
            errors.required(where, "");
        } else if (!supported.contains(value)) {
            errors.notSupported(where, value, supported);
        }
    }
}
