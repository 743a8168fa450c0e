// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import static java.util.Map.entry;

import java.util.Map;
import java.util.function.Consumer;
import org.moorage.objects.tree.Fields;

/** The defaults of volume sources, in pods and in PersistentVolumes. */
final class VolumeSourceDefaults {
    private static final int OCTAL_0644 = 420;

    private static final Map<String, Consumer<Fields>> BY_SOURCE = Map.ofEntries(
            entry("hostPath", source -> source.whenAbsent("type", "")),
            entry("secret", source -> source.whenAbsent("defaultMode", OCTAL_0644)),
            entry("configMap", source -> source.whenAbsent("defaultMode", OCTAL_0644)),
            entry("downwardAPI", source -> {
                source.whenAbsent("defaultMode", OCTAL_0644);
                downwardApiItems(source);
            }),
            entry("projected", VolumeSourceDefaults::projected),
            entry("ephemeral", VolumeSourceDefaults::ephemeral),
            entry(
                    "image",
                    source -> source.whenBlank(
                            "pullPolicy", PodDefaults.pullPolicy(source.node().path("reference")))),
            entry("iscsi", source -> source.whenBlank("iscsiInterface", "default")),
            entry("rbd", source -> {
                source.whenBlank("pool", "rbd");
                source.whenBlank("user", "admin");
                source.whenBlank("keyring", "/etc/ceph/keyring");
            }),
            entry("azureDisk", source -> {
                source.whenAbsent("cachingMode", "ReadWrite");
                source.whenAbsent("fsType", "ext4");
                source.whenAbsent("readOnly", false);
                source.whenAbsent("kind", "Shared");
            }),
            entry("scaleIO", source -> {
                source.whenBlank("storageMode", "ThinProvisioned");
                source.whenBlank("fsType", "xfs");
            }));

    private VolumeSourceDefaults() {}

    /** Completes whichever source a volume has. */
    static void volumeSource(Fields volume) {
        BY_SOURCE.forEach((name, defaults) -> volume.pointer(name).ifPresent(defaults));
    }

    private static void projected(Fields projected) {
        projected.whenAbsent("defaultMode", OCTAL_0644);
        for (Fields source : projected.each("sources")) {
            source.pointer("downwardAPI").ifPresent(VolumeSourceDefaults::downwardApiItems);
            source.pointer("serviceAccountToken").ifPresent(token -> token.whenAbsent("expirationSeconds", 3600));
        }
    }

    private static void downwardApiItems(Fields downwardApi) {
        downwardApi.each("items").forEach(VolumeSourceDefaults::fieldRef);
    }

    /** Sets the default API version, v1, of a reference to a field of the pod. */
    static void fieldRef(Fields parent) {
        parent.pointer("fieldRef").ifPresent(selector -> selector.whenBlank("apiVersion", "v1"));
    }

    private static void ephemeral(Fields ephemeral) {
        ephemeral
                .pointer("volumeClaimTemplate")
                .ifPresent(template -> Defaulting.persistentVolumeClaimSpec(template.struct("spec")));
    }
}
