// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.objects.tree.Fields;

/** The validation of the volumes of pods, and of volume claims. */
final class VolumeValidation {
    private static final String ONCE_BY_ONE_POD = "ReadWriteOncePod";
    private static final List<String> ACCESS_MODES =
            List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", ONCE_BY_ONE_POD);
    private static final List<String> VOLUME_MODES = List.of("Block", "Filesystem");
    /** The required fields of the volume sources that scheduling reads. */
    private static final Map<String, List<String>> REQUIRED = Map.of(
            "persistentVolumeClaim", List.of("claimName"),
            "gcePersistentDisk", List.of("pdName"),
            "awsElasticBlockStore", List.of("volumeID"),
            "iscsi", List.of("targetPortal", "iqn"),
            "rbd", List.of("monitors", "image"),
            "hostPath", List.of("path"),
            "nfs", List.of("server", "path"),
            "secret", List.of("secretName"),
            "configMap", List.of("name"),
            "csi", List.of("driver"));
    /** The sources with another name in the paths of errors. */
    private static final Map<String, String> OTHER_PATHS = Map.of("gcePersistentDisk", "persistentDisk");

    private VolumeValidation() {}

    /**
     * Validates the volumes of a pod.
     *
     * @param podName the pod's name; empty for a template
     * @return those without errors, by name
     */
    static Map<String, Fields> volumes(Fields spec, String podName, String list, FieldErrors errors) {
        List<Fields> volumes = spec.each("volumes");
        Set<String> created = new HashSet<>();
        for (Fields volume : volumes) {
            if (!podName.isEmpty() && !volume.isAbsent("ephemeral")) {
                created.add(podName + "-" + volume.text("name"));
            }
        }
        Map<String, Fields> sound = new HashMap<>();
        for (int i = 0; i < volumes.size(); i++) {
            Fields volume = volumes.get(i);
            String own = list + "[" + i + "]";
            String name = volume.text("name");
            int before = errors.count();
            source(volume, own, errors);
            if (name.isEmpty()) {
                errors.required(own + ".name", "");
            } else {
                errors.invalid(own + ".name", name, NameRules.label(name));
            }
            if (sound.containsKey(name)) {
                errors.duplicate(own + ".name", name);
            }
            if (errors.count() == before) {
                sound.put(name, volume);
            }
            String claim = volume.node().at("/persistentVolumeClaim/claimName").asText("");
            if (created.contains(claim)) {
                errors.invalid(
                        own + ".persistentVolumeClaim.claimName",
                        claim,
                        "must not reference a PVC that gets created for an ephemeral volume");
            }
        }
        return sound;
    }

    private static void source(Fields volume, String own, FieldErrors errors) {
        boolean hasSource = false;
        for (Map.Entry<String, JsonNode> field : volume.node().properties()) {
            String type = field.getKey();
            if (type.equals("name") || field.getValue().isNull()) {
                continue;
            }
            if (hasSource) {
                errors.forbidden(own + "." + type, "may not specify more than 1 volume type");
                continue;
            }
            hasSource = true;
            Fields source = volume.struct(type);
            String path = own + "." + OTHER_PATHS.getOrDefault(type, type);
            for (String required : REQUIRED.getOrDefault(type, List.of())) {
                JsonNode value = source.node().path(required);
                if (source.isBlank(required) || value.isArray() && value.isEmpty()) {
                    errors.required(path + "." + required, "");
                }
            }
            if (type.equals("nfs") && !source.text("path").startsWith("/")) {
                errors.invalid(path + ".path", source.text("path"), "must be an absolute path");
            }
            if (type.equals("ephemeral")) {
                ephemeral(source, path + ".volumeClaimTemplate", errors);
            }
        }
    }

    private static void ephemeral(Fields source, String path, FieldErrors errors) {
        if (source.isAbsent("volumeClaimTemplate")) {
            errors.required(path, "");
            return;
        }
        Fields template = source.struct("volumeClaimTemplate");
        template.pointer("metadata").ifPresent(metadata -> {
            LabelValidation.annotations(metadata, path + ".metadata.annotations", errors);
            LabelValidation.labels(metadata, "labels", path + ".metadata.labels", errors);
            metadata.node().properties().forEach(field -> {
                boolean isAllowed =
                        field.getKey().equals("labels") || field.getKey().equals("annotations");
                if (!isAllowed && !metadata.isBlank(field.getKey())) {
                    errors.forbidden(path + ".metadata." + field.getKey(), "cannot be set");
                }
            });
        });
        claimSpec(template.struct("spec"), path + ".spec", errors);
    }

    /** Validates the specification of a volume claim. */
    static void claimSpec(Fields spec, String path, FieldErrors errors) {
        JsonNode modes = spec.node().path("accessModes");
        if (modes.isEmpty()) {
            errors.required(path + ".accessModes", "at least 1 access mode is required");
        }
        LabelValidation.selector(spec, "selector", path + ".selector", errors);
        boolean isForOnePod = false;
        boolean isForOthers = false;
        for (JsonNode mode : modes) {
            String name = mode.asText("");
            if (!ACCESS_MODES.contains(name)) {
                errors.notSupported(path + ".accessModes", name, ACCESS_MODES);
            } else if (name.equals(ONCE_BY_ONE_POD)) {
                isForOnePod = true;
            } else {
                isForOthers = true;
            }
        }
        if (isForOnePod && isForOthers) {
            errors.forbidden(path + ".accessModes", "may not use ReadWriteOncePod with other access modes");
        }
        ResourceValidation.storage(
                spec.node().path("resources").path("requests"),
                spec.pointer("resources").orElse(spec),
                path + ".resources[storage]",
                errors);
        if (!spec.isBlank("storageClassName")) {
            String name = spec.text("storageClassName");
            errors.invalid(path + ".storageClassName", name, NameRules.subdomain(name));
        }
        String volumeMode = spec.text("volumeMode");
        if (!spec.isAbsent("volumeMode") && !VOLUME_MODES.contains(volumeMode)) {
            errors.notSupported(path + ".volumeMode", volumeMode, VOLUME_MODES);
        }
        spec.pointer("dataSource").ifPresent(source -> dataSource(source, path + ".dataSource", errors));
        // The API server completes the newer field.
        String newer = spec.isAbsent("dataSourceRef") ? "dataSource" : "dataSourceRef";
        spec.pointer(newer).ifPresent(source -> dataSource(source, path + ".dataSourceRef", errors));
    }

    private static void dataSource(Fields source, String path, FieldErrors errors) {
        for (String field : List.of("name", "kind")) {
            if (source.isBlank(field)) {
                errors.required(path + "." + field, "");
            }
        }
        String group = source.text("apiGroup");
        if (group.isEmpty() && !source.text("kind").equals("PersistentVolumeClaim")) {
            errors.invalid(
                    path, source.text("kind"), "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
        }
        if (!group.isEmpty()) {
            errors.invalid(path + ".apiGroup", group, NameRules.subdomain(group));
        }
    }
}
