// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.InTreeVolume;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.StorageClass;
import org.moorage.api.model.Volume;
import org.moorage.api.model.VolumeAttachment;

class VolumeDecodingTest {
    private static final YAMLMapper YAML = new YAMLMapper();

    private static <T extends ClusterObject> T decode(Class<T> type, String yaml) {
        try {
            return type.cast(new TreeDecoder().decode((ObjectNode) YAML.readTree(yaml)));
        } catch (JsonProcessingException notYaml) {
            throw new IllegalArgumentException(notYaml);
        }
    }

    @Test
    void readsTheVolumesOfPods() {
        Pod pod = decode(Pod.class, """
            apiVersion: v1
            kind: Pod
            metadata: {name: p, namespace: default}
            spec:
              volumes:
              - {name: config, configMap: {name: c}}
              - {name: a, persistentVolumeClaim: {claimName: claim}}
              - {name: b, ephemeral: {volumeClaimTemplate: {spec: {}}}}
              - {name: c, gcePersistentDisk: {pdName: disk, readOnly: true}}
              - {name: d, awsElasticBlockStore: {volumeID: vol-1}}
              - {name: e, iscsi: {iqn: iqn.a, readOnly: true}}
              - {name: f, rbd: {monitors: [m], pool: rbd, image: i}}
              - {name: g, azureDisk: {diskURI: /uri, kind: Managed}}
              - {name: h, csi: {driver: csi.x}}
            """);
        assertThat(pod.spec().volumes())
                .containsExactly(
                        new Volume("a", new Volume.Claim("claim")),
                        new Volume("b", new Volume.EphemeralClaim()),
                        new Volume("c", new InTreeVolume(InTreeVolume.Type.GCE_PERSISTENT_DISK, "disk", "", true)),
                        new Volume(
                                "d", new InTreeVolume(InTreeVolume.Type.AWS_ELASTIC_BLOCK_STORE, "vol-1", "", false)),
                        new Volume("e", new Volume.Iscsi("iqn.a", true)),
                        new Volume("f", new Volume.Rbd(List.of("m"), "rbd", "i", false)),
                        new Volume("g", new InTreeVolume(InTreeVolume.Type.AZURE_DISK, "/uri", "Managed", false)),
                        new Volume("h", new Volume.InlineCsi("csi.x")));
        assertThat(pod.spec().claimNames()).containsExactly("claim");
        assertThat(pod.spec().volumes().get(1).claimName(pod)).isEqualTo("p-b");
    }

    @Test
    void readsVolumes() {
        PersistentVolume volume = decode(PersistentVolume.class, """
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: v}
            spec:
              capacity: {storage: 5Gi}
              accessModes: [ReadWriteOnce]
              storageClassName: fast
              volumeAttributesClassName: gold
              csi: {driver: csi.x, volumeHandle: h}
              claimRef: {namespace: default, name: c, uid: u}
              nodeAffinity:
                required:
                  nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: ['n']}]}]
            status: {phase: Bound}
            """);
        assertThat(volume.capacity()).isEqualTo(Quantity.parse("5Gi"));
        assertThat(volume.accessModes()).containsExactly("ReadWriteOnce");
        assertThat(volume.storageClassName()).isEqualTo("fast");
        assertThat(volume.attributesClassName()).isEqualTo("gold");
        assertThat(volume.volumeMode()).isEqualTo("Filesystem");
        assertThat(volume.csi()).contains(new PersistentVolume.CsiSource("csi.x", "h"));
        assertThat(volume.inTreeVolume()).isEmpty();
        assertThat(volume.claim()).contains(new PersistentVolume.ClaimReference("default", "c", "u"));
        assertThat(volume.nodeAffinity().map(NodeSelector::terms))
                .contains(List.of(new NodeSelector.Term(
                        List.of(), List.of(new NodeSelector.Requirement("metadata.name", "In", List.of("n"))))));
        assertThat(volume.phase()).isEqualTo("Bound");
    }

    @Test
    void readsClaims() {
        PersistentVolumeClaim claim = decode(PersistentVolumeClaim.class, """
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata:
              name: c
              namespace: default
              annotations:
                volume.beta.kubernetes.io/storage-class: old
                volume.kubernetes.io/selected-node: 'n'
            spec:
              accessModes: [ReadWriteOncePod]
              storageClassName: fast
              volumeMode: Block
              resources: {requests: {storage: 1Gi}}
              selector: {matchLabels: {tier: gold}}
            status: {phase: Pending}
            """);
        assertThat(claim.storageClassName()).isEqualTo("old");
        assertThat(claim.selectedNode()).contains("n");
        assertThat(claim.request()).contains(Quantity.parse("1Gi"));
        assertThat(claim.volumeMode()).isEqualTo("Block");
        assertThat(claim.selector()).contains(new LabelSelector(Map.of("tier", "gold"), List.of()));
        assertThat(claim.isBound()).isFalse();
        assertThat(claim.isLost()).isFalse();
    }

    @Test
    void readsWhatDriversSay() {
        CsiNode node = decode(CsiNode.class, """
            apiVersion: storage.k8s.io/v1
            kind: CSINode
            metadata: {name: 'n', annotations: {storage.alpha.kubernetes.io/migrated-plugins: "a/b,c/d"}}
            spec:
              drivers:
              - {name: csi.x, nodeID: 'n', topologyKeys: [zone], allocatable: {count: 3}}
              - {name: csi.y, nodeID: 'n'}
            """);
        assertThat(node.drivers())
                .containsExactly(
                        new CsiNode.Driver("csi.x", List.of("zone"), OptionalInt.of(3)),
                        new CsiNode.Driver("csi.y", List.of(), OptionalInt.empty()));
        assertThat(node.hasMigrated("c/d")).isTrue();
        assertThat(node.hasMigrated("c")).isFalse();
        CsiDriver driver = decode(CsiDriver.class, """
            apiVersion: storage.k8s.io/v1
            kind: CSIDriver
            metadata: {name: csi.x}
            spec: {storageCapacity: true, preventPodSchedulingIfMissing: true}
            """);
        assertThat(driver.storageCapacity()).isTrue();
        assertThat(driver.preventPodSchedulingIfMissing()).isTrue();
        CsiStorageCapacity capacity = decode(CsiStorageCapacity.class, """
            apiVersion: storage.k8s.io/v1
            kind: CSIStorageCapacity
            metadata: {name: cap, namespace: default}
            storageClassName: fast
            capacity: 5Gi
            maximumVolumeSize: 1Gi
            nodeTopology: {}
            """);
        assertThat(capacity.volumeLimit()).contains(Quantity.parse("1Gi"));
        assertThat(capacity.nodeTopology()).contains(new LabelSelector(Map.of(), List.of()));
        StorageClass storageClass = decode(StorageClass.class, """
            apiVersion: storage.k8s.io/v1
            kind: StorageClass
            metadata: {name: fast}
            provisioner: csi.x
            volumeBindingMode: WaitForFirstConsumer
            allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a, b]}]}]
            """);
        assertThat(storageClass.waitsForFirstConsumer()).isTrue();
        assertThat(storageClass.allows(Map.of("zone", "b"))).isTrue();
        assertThat(storageClass.allows(Map.of("zone", "c"))).isFalse();
        VolumeAttachment attachment = decode(VolumeAttachment.class, """
            apiVersion: storage.k8s.io/v1
            kind: VolumeAttachment
            metadata: {name: a}
            spec: {attacher: csi.x, nodeName: 'n', source: {persistentVolumeName: v}}
            """);
        assertThat(attachment).isEqualTo(new VolumeAttachment(attachment.metadata(), "csi.x", "n", "v"));
    }
}
