// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.moorage.api.model.InTreeVolume;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.PersistentVolume;

/** The migration of in-tree volume plugins to CSI drivers: names of the drivers, volume handles and node affinity. */
public final class CsiMigration {
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String REGION = "topology.kubernetes.io/region";
    private static final String BETA_ZONE = "failure-domain.beta.kubernetes.io/zone";
    private static final String BETA_REGION = "failure-domain.beta.kubernetes.io/region";
    private static final String ZONE_SEPARATOR = "__";

    private static final String AWS_URL = "aws://";
    private static final Pattern AWS_ID = Pattern.compile("vol-[^/]*");
    private static final String GCE_ZONAL = "projects/UNSPECIFIED/zones/%s/disks/%s";
    private static final String GCE_REGIONAL = "projects/UNSPECIFIED/regions/%s/disks/%s";
    private static final String UNSPECIFIED = "UNSPECIFIED";
    private static final String MANAGED = "managed";

    private CsiMigration() {}

    /** Returns the name of the in-tree plugin. */
    public static String plugin(InTreeVolume.Type type) {
        return switch (type) {
            case AWS_ELASTIC_BLOCK_STORE -> "kubernetes.io/aws-ebs";
            case GCE_PERSISTENT_DISK -> "kubernetes.io/gce-pd";
            case AZURE_DISK -> "kubernetes.io/azure-disk";
            case AZURE_FILE -> "kubernetes.io/azure-file";
            case CINDER -> "kubernetes.io/cinder";
            case PORTWORX -> "kubernetes.io/portworx-volume";
            case VSPHERE -> "kubernetes.io/vsphere-volume";
        };
    }

    /** Returns the name of the CSI driver. */
    public static String driver(InTreeVolume.Type type) {
        return switch (type) {
            case AWS_ELASTIC_BLOCK_STORE -> "ebs.csi.aws.com";
            case GCE_PERSISTENT_DISK -> "pd.csi.storage.gke.io";
            case AZURE_DISK -> "disk.csi.azure.com";
            case AZURE_FILE -> "file.csi.azure.com";
            case CINDER -> "cinder.csi.openstack.org";
            case PORTWORX -> "pxd.portworx.com";
            case VSPHERE -> "csi.vsphere.vmware.com";
        };
    }

    /** Returns whether kube-scheduler treats volumes of that type as volumes of the CSI driver. */
    public static boolean isMigrated(InTreeVolume.Type type) {
        return type != InTreeVolume.Type.AZURE_FILE && type != InTreeVolume.Type.VSPHERE;
    }

    /** Returns the type of the volumes of an in-tree plugin. */
    public static Optional<InTreeVolume.Type> typeOf(String plugin) {
        for (InTreeVolume.Type type : InTreeVolume.Type.values()) {
            if (plugin(type).equals(plugin)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the volume handle of a volume in a pod's specification.
     *
     * @throws IllegalArgumentException if the volume cannot be translated
     */
    public static String volumeHandle(InTreeVolume disk) {
        return switch (disk.type()) {
            case AWS_ELASTIC_BLOCK_STORE -> awsId(disk.id());
            case GCE_PERSISTENT_DISK -> String.format(GCE_ZONAL, UNSPECIFIED, disk.id());
            case AZURE_DISK -> azureUri(disk);
            default -> disk.id();
        };
    }

    /**
     * Returns the volume handle of a persistent volume.
     *
     * @throws IllegalArgumentException if the volume cannot be translated
     */
    public static String volumeHandle(PersistentVolume volume, InTreeVolume disk) {
        if (disk.type() != InTreeVolume.Type.GCE_PERSISTENT_DISK) {
            return volumeHandle(disk);
        }
        Map<String, String> labels = volume.metadata().labels();
        String zone = labels.getOrDefault(BETA_ZONE, "");
        String[] zones = (zone.isEmpty() ? labels.getOrDefault(ZONE, "") : zone).split(ZONE_SEPARATOR, -1);
        if (zones.length > 1) {
            return String.format(GCE_REGIONAL, gceRegion(zones), disk.id());
        }
        return String.format(GCE_ZONAL, zones[0].isEmpty() ? UNSPECIFIED : zones[0], disk.id());
    }

    private static String awsId(String id) {
        if (!id.startsWith(AWS_URL)) {
            return id;
        }
        String[] address = id.substring(AWS_URL.length()).split("[?#]", 2);
        int slash = address[0].indexOf('/');
        String path = slash < 0 ? "" : address[0].substring(slash);
        String bare = path.replaceAll("^/+|/+$", "");
        if (!AWS_ID.matcher(bare).matches()) {
            throw new IllegalArgumentException(
                    "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (" + id + ")");
        }
        return bare;
    }

    private static String azureUri(InTreeVolume disk) {
        if (!disk.kind().isEmpty() && !disk.kind().equalsIgnoreCase(MANAGED)) {
            throw new IllegalArgumentException("kind(" + disk.kind() + ") is not supported in csi migration");
        }
        return disk.id();
    }

    private static String gceRegion(String[] zones) {
        TreeSet<String> regions = new TreeSet<>();
        for (String zone : zones) {
            String[] parts = zone.split("-", -1);
            if (parts.length != 3) {
                throw new IllegalArgumentException("failed to get region from zones: "
                        + "zone in unexpected format, expected: {locale}-{region}-{zone}, got: " + zone);
            }
            regions.add(parts[0] + "-" + parts[1]);
        }
        if (regions.size() != 1) {
            throw new IllegalArgumentException(
                    "failed to get region from zones: multiple or no regions gotten from zones, got: " + regions);
        }
        return regions.first();
    }

    /**
     * Returns the node affinity of a persistent volume, with the topology keys of the CSI driver.
     *
     * @throws IllegalArgumentException if the volume cannot be translated
     */
    public static Optional<NodeSelector> nodeAffinity(PersistentVolume volume, InTreeVolume disk) {
        // As in kube-scheduler, the translation fails if the volume handle cannot be translated.
        volumeHandle(volume, disk);
        String topologyKey = switch (disk.type()) {
            case AWS_ELASTIC_BLOCK_STORE -> "topology.ebs.csi.aws.com/zone";
            case GCE_PERSISTENT_DISK -> "topology.gke.io/zone";
            case CINDER -> "topology.cinder.csi.openstack.org/zone";
            default -> "";
        };
        return topologyKey.isEmpty() ? volume.nodeAffinity() : withTopology(volume, topologyKey);
    }

    private static Optional<NodeSelector> withTopology(PersistentVolume volume, String topologyKey) {
        List<NodeSelector.Term> terms =
                volume.nodeAffinity().map(NodeSelector::terms).orElse(List.of());
        Map<String, String> labels = volume.metadata().labels();
        boolean beta = !hasKey(terms, ZONE)
                && (hasKey(terms, BETA_ZONE) || !labels.containsKey(ZONE) && labels.containsKey(BETA_ZONE));
        String zoneKey = beta ? BETA_ZONE : ZONE;
        List<NodeSelector.Term> result = new ArrayList<>(terms);
        if (hasValues(terms, zoneKey)) {
            rename(result, zoneKey, topologyKey);
        } else if (labels.containsKey(zoneKey)) {
            addZones(result, topologyKey, labels.get(zoneKey));
        }
        if (beta && hasValues(result, BETA_REGION)) {
            rename(result, BETA_REGION, REGION);
        }
        // A selector without terms matches no node, and must not become the absence of a selector.
        return result.isEmpty() && volume.nodeAffinity().isEmpty()
                ? Optional.empty()
                : Optional.of(new NodeSelector(result));
    }

    private static boolean hasKey(List<NodeSelector.Term> terms, String key) {
        for (NodeSelector.Term term : terms) {
            for (NodeSelector.Requirement requirement : term.matchExpressions()) {
                if (requirement.key().equals(key)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean hasValues(List<NodeSelector.Term> terms, String key) {
        for (NodeSelector.Term term : terms) {
            for (NodeSelector.Requirement requirement : term.matchExpressions()) {
                if (requirement.key().equals(key) && !requirement.values().isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static void rename(List<NodeSelector.Term> terms, String key, String renamed) {
        terms.replaceAll(term -> {
            List<NodeSelector.Requirement> requirements = new ArrayList<>();
            for (NodeSelector.Requirement requirement : term.matchExpressions()) {
                requirements.add(
                        requirement.key().equals(key)
                                ? new NodeSelector.Requirement(renamed, requirement.operator(), requirement.values())
                                : requirement);
            }
            return new NodeSelector.Term(requirements, term.matchFields());
        });
    }

    private static void addZones(List<NodeSelector.Term> terms, String key, String label) {
        TreeSet<String> zones = new TreeSet<>();
        for (String zone : label.split(ZONE_SEPARATOR, -1)) {
            if (!zone.isBlank()) {
                zones.add(zone.strip());
            }
        }
        if (zones.isEmpty()) {
            return;
        }
        if (terms.isEmpty()) {
            terms.add(new NodeSelector.Term(List.of(), List.of()));
        }
        NodeSelector.Requirement inZones = new NodeSelector.Requirement(key, "In", List.copyOf(zones));
        terms.replaceAll(term -> {
            List<NodeSelector.Requirement> requirements = new ArrayList<>(term.matchExpressions());
            requirements.add(inZones);
            return new NodeSelector.Term(requirements, term.matchFields());
        });
    }
}
