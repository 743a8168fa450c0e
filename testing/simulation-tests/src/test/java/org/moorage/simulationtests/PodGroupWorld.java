// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.DisruptionMode;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.testkit.Pods;

/**
 * The users of a cluster with groups of pods. Groups are created before, after or without their pods; pods are created
 * late, differ from the rest, and are deleted; groups are changed and deleted during attempts.
 */
final class PodGroupWorld {
    /** The scheduler name of another profile. */
    static final String SECOND_PROFILE = "second-profile";

    /** The name of the claim that the pods of a group may share. */
    static final String SHARED = "ours";

    private static final String GROUP = "group";
    private static final int[] PRIORITIES = {0, 0, 10, 100};

    private final ModelApiServer server;
    private final World world;
    private final FeatureGates features;
    private final RandomGenerator random;
    private final Map<String, Shape> shapeByGroup = new LinkedHashMap<>();
    private final List<SchedulingGroup> late = new ArrayList<>();
    private final Map<String, Integer> membersByGroup = new HashMap<>();
    private int names;

    /** The common properties of the pods of a group. */
    private record Shape(
            int cpu,
            int memory,
            int priority,
            String preemptionPolicy,
            String schedulerName,
            boolean isApart,
            boolean isTogether,
            List<PodSpec.ResourceClaim> claims) {}

    /**
     * Creates users without groups.
     *
     * @param world creates the other objects that pods need
     * @param features determines the kinds of groups
     */
    PodGroupWorld(ModelApiServer server, World world, FeatureGates features, RandomGenerator random) {
        this.server = server;
        this.world = world;
        this.features = features;
        this.random = random;
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> Optional<T> any(List<T> of) {
        return of.isEmpty() ? Optional.empty() : Optional.of(of.get(random.nextInt(of.size())));
    }

    /** Creates the groups that exist before the scheduler starts. */
    void create() {
        int groups = random.nextInt(3);
        for (int i = 0; i < groups; i++) {
            createRoot();
        }
    }

    /** Performs one random action. */
    void step() {
        int choice = random.nextInt(100);
        if (choice < 28) {
            createRoot();
        } else if (choice < 48) {
            any(List.copyOf(shapeByGroup.keySet())).ifPresent(this::createMember);
        } else if (choice < 60) {
            createLate();
        } else if (choice < 68) {
            anyMember().ifPresent(server::deletePod);
        } else if (choice < 74) {
            anyGroup().ifPresent(group -> {
                delete(group);
                late.add(changed(group));
            });
        } else if (choice < 86) {
            any(server.all(ObjectKind.POD_GROUP)).filter(PodGroup::isGang).ifPresent(this::changeMinimum);
        } else if (choice < 90) {
            anyGroup().ifPresent(this::delete);
        } else if (choice < 96) {
            any(List.copyOf(shapeByGroup.keySet())).ifPresent(this::createOddMember);
        } else {
            any(List.copyOf(shapeByGroup.keySet())).ifPresent(this::deleteMembers);
        }
    }

    private Optional<Pod> anyMember() {
        return any(server.all(ObjectKind.POD).stream()
                .filter(pod -> !pod.spec().podGroupName().isEmpty())
                .toList());
    }

    private Optional<SchedulingGroup> anyGroup() {
        List<SchedulingGroup> groups = new ArrayList<>(server.all(ObjectKind.POD_GROUP));
        groups.addAll(server.all(ObjectKind.COMPOSITE_POD_GROUP));
        return any(groups);
    }

    private void delete(SchedulingGroup group) {
        ObjectKind<?> kind = group instanceof PodGroup ? ObjectKind.POD_GROUP : ObjectKind.COMPOSITE_POD_GROUP;
        server.delete(kind, group.key());
    }

    // Groups of pods

    private void createRoot() {
        int priority = PRIORITIES[random.nextInt(PRIORITIES.length)];
        if (features.isEnabled(FeatureGates.COMPOSITE_POD_GROUP) && chance(40)) {
            createComposite("", priority, 0);
        } else {
            createGroup("", priority);
        }
    }

    private void createComposite(String parent, int priority, int depth) {
        String name = "c" + names++;
        int children = random.nextInt(1, 4);
        CompositePodGroup.Builder group = CompositePodGroup.of(metadata(name))
                .parentName(parent)
                .priority(priority)
                .disruptionMode(mode())
                .topologyKeys(topologyKeys());
        if (chance(60)) {
            group.gang(random.nextInt(1, children + 1));
        }
        List<Runnable> made = new ArrayList<>();
        made.add(() -> createSoonOrLate(group.build()));
        for (int i = 0; i < children; i++) {
            made.add(() -> {
                if (depth == 0 && chance(20)) {
                    createComposite(name, priority, depth + 1);
                } else {
                    createGroup(name, priority);
                }
            });
        }
        while (!made.isEmpty()) {
            made.remove(random.nextInt(made.size())).run();
        }
    }

    private void createGroup(String parent, int priority) {
        String name = "g" + names++;
        PodGroup.Builder group = PodGroup.of(metadata(name))
                .parentName(parent)
                .priority(priority)
                .disruptionMode(mode())
                .topologyKeys(topologyKeys());
        int members = random.nextInt(1, 5);
        if (chance(70)) {
            int minimum = random.nextInt(1, 5);
            group.gang(minimum);
            members = Math.max(1, minimum + random.nextInt(-1, 3));
        }
        String policy = chance(15) ? "Never" : "";
        if (features.isEnabled(FeatureGates.POD_GROUP_PREEMPTION_POLICY) && !policy.isEmpty() && !chance(10)) {
            group.preemptionPolicy(policy);
        }
        List<PodSpec.ResourceClaim> claims = claims();
        if (features.isEnabled(FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS)) {
            group.resourceClaims(claims);
        }
        shapeByGroup.put(
                name,
                new Shape(
                        random.nextInt(1, 15) * 100,
                        random.nextInt(1, 10) * 200,
                        priority,
                        policy,
                        chance(5) ? SECOND_PROFILE : "",
                        chance(15),
                        chance(8),
                        claims));
        boolean isFirst = chance(60);
        if (isFirst) {
            createSoonOrLate(group.build());
        }
        for (int i = 0; i < members; i++) {
            if (!chance(10)) {
                createMember(name);
            }
        }
        if (!isFirst) {
            createSoonOrLate(group.build());
        }
    }

    private ObjectMeta metadata(String name) {
        return ObjectMeta.named(name).namespace(World.NAMESPACE).generation(1).build();
    }

    private DisruptionMode mode() {
        return chance(40) ? DisruptionMode.ALL : DisruptionMode.SINGLE;
    }

    private List<String> topologyKeys() {
        return features.isEnabled(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING) && chance(35)
                ? List.of(chance(70) ? World.ZONE : World.HOSTNAME)
                : List.of();
    }

    private List<PodSpec.ResourceClaim> claims() {
        if (!chance(20)) {
            return List.of();
        }
        return chance(70)
                ? List.of(new PodSpec.ResourceClaim(SHARED, "", "template"))
                : List.of(new PodSpec.ResourceClaim(SHARED, "shared-" + random.nextInt(3), ""));
    }

    private void createSoonOrLate(SchedulingGroup group) {
        if (chance(70)) {
            create(group);
        } else if (chance(85)) {
            late.add(group);
        }
    }

    private void create(SchedulingGroup group) {
        if (group instanceof PodGroup podGroup
                && server.find(ObjectKind.POD_GROUP, group.key()).isEmpty()) {
            server.create(podGroup);
        } else if (group instanceof CompositePodGroup composite
                && server.find(ObjectKind.COMPOSITE_POD_GROUP, group.key()).isEmpty()) {
            server.create(composite);
        }
    }

    private void createLate() {
        if (!late.isEmpty()) {
            create(late.remove(random.nextInt(late.size())));
        }
    }

    // Returns a modified group, to be created again with the same name.
    private SchedulingGroup changed(SchedulingGroup group) {
        if (group instanceof CompositePodGroup composite) {
            return composite.toBuilder().gang(random.nextInt(1, 3)).build();
        }
        PodGroup.Builder builder = ((PodGroup) group).toBuilder().disruptionMode(mode());
        if (chance(60)) {
            builder.gang(random.nextInt(1, 5));
        }
        return builder.build();
    }

    private void changeMinimum(PodGroup known) {
        server.update(
                ObjectKind.POD_GROUP,
                known.key(),
                group -> group.toBuilder()
                        .gang(random.nextInt(1, 5))
                        .build()
                        .withMetadata(group.metadata().toBuilder()
                                .generation(group.metadata().generation() + 1)
                                .build()));
    }

    // Their pods

    private void createMember(String group) {
        createMember(group, pod -> {});
    }

    private void createOddMember(String group) {
        createMember(group, pod -> {
            switch (random.nextInt(5)) {
                case 0 -> pod.priority(50);
                case 1 -> pod.schedulerName(SECOND_PROFILE);
                case 2 -> pod.schedulerName("another-scheduler");
                case 3 -> pod.preemptionPolicy("Never");
                default -> pod.schedulingGate("example.com/gate");
            }
        });
    }

    private void createMember(String group, Consumer<Pods> change) {
        Shape shape = shapeByGroup.get(group);
        if (shape == null || !world.hasRoom()) {
            return;
        }
        String name = group + "-" + membersByGroup.merge(group, 1, Integer::sum);
        Pods pod = Pods.named(name)
                .namespace(World.NAMESPACE)
                .podGroup(group)
                .label(GROUP, group)
                .label("app", "a")
                .requests("cpu", shape.cpu + "m")
                .requests("memory", shape.memory + "Mi")
                .priority(shape.priority)
                .generation(1);
        if (!shape.preemptionPolicy.isEmpty()) {
            pod.preemptionPolicy(shape.preemptionPolicy);
        }
        if (!shape.schedulerName.isEmpty()) {
            pod.schedulerName(shape.schedulerName);
        }
        if (shape.isApart) {
            pod.requiresPodAntiAffinity(World.HOSTNAME, GROUP, group);
        }
        if (shape.isTogether) {
            pod.requiresPodAffinity(World.ZONE, GROUP, group);
        }
        shape.claims.forEach(pod::resourceClaim);
        if (chance(12)) {
            pod.label(Controllers.ENDS, "");
        }
        if (chance(6)) {
            pod.label(UnreliablePlugin.WAITS, "");
        }
        if (chance(3)) {
            pod.schedulingGate("example.com/gate");
        }
        if (chance(15)) {
            world.addVolumes(pod, name);
        }
        if (chance(15)) {
            world.addDevices(pod);
        }
        change.accept(pod);
        server.create(pod.build());
    }

    private void deleteMembers(String group) {
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (pod.spec().podGroupName().equals(group)) {
                server.deletePod(pod);
            }
        }
    }
}
