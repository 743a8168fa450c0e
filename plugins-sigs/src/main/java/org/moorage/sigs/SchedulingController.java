// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Container;
import org.moorage.api.model.ObjectFields;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.ControllerPlugin;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.MergePatch;
import org.moorage.api.plugin.cluster.ObjectEvent;
import org.moorage.api.plugin.cluster.ObjectLister;

/**
 * Writes the status of PodGroups and ElasticQuotas for people and tools; no plugin reads it. Enable it in a profile
 * instead of running the controllers of scheduler-plugins, whose status and events it writes. As there, pods with the
 * label of a group count in all namespaces.
 */
public final class SchedulingController implements ControllerPlugin {
    /** The plugin's name. */
    public static final String NAME = "SchedulingController";

    private static final Duration LONGEST = Duration.ofHours(48);
    /** The longest value of a label; groups with longer names have no pods. */
    private static final int LONGEST_LABEL = 63;

    private static final String ACTION = "Reconciling";
    private static final String PENDING = "Pending";
    private static final String SCHEDULING = "Scheduling";
    private static final Set<String> OVER = Set.of("Finished", "Failed");
    /** The value of a field that a patch removes. */
    private static final Object REMOVED = new Object();

    private final Handle handle;
    private final ObjectLister<OtherObject> groups;
    private final ObjectLister<OtherObject> quotas;
    private final ObjectLister<Pod> pods;
    // The pods by the value of the label, and by namespace and name.
    private final Map<String, Map<String, Pod>> podsByLabel = new ConcurrentHashMap<>();

    /** Groups that had no ended pods when these were last listed, and whose pods have all been known since. */
    private final Set<String> withoutEnded = ConcurrentHashMap.newKeySet();

    private volatile ControllerPlugin.@Nullable Context context;

    private SchedulingController(Handle handle) {
        this.handle = handle;
        groups = handle.cluster().lister(Coscheduling.POD_GROUP);
        quotas = handle.cluster().lister(CapacityScheduling.ELASTIC_QUOTA);
        pods = handle.cluster().lister(ObjectKind.POD);
        handle.cluster().onChange(Coscheduling.POD_GROUP, change -> later(Coscheduling.POD_GROUP, change));
        handle.cluster()
                .onChange(CapacityScheduling.ELASTIC_QUOTA, change -> later(CapacityScheduling.ELASTIC_QUOTA, change));
        handle.cluster().onChange(ObjectKind.POD, this::podChanged);
    }

    @Override
    public String name() {
        return NAME;
    }

    private void later(ObjectKind<OtherObject> kind, ObjectChange<OtherObject> change) {
        OtherObject object = change.latest();
        if (change.after().isEmpty()) {
            withoutEnded.remove(object.name());
        }
        later(kind, object.namespace(), object.name());
    }

    private void podChanged(ObjectChange<Pod> change) {
        Pod pod = change.latest();
        String group = pod.labels().getOrDefault(Coscheduling.LABEL, "");
        change.before().ifPresent(this::remove);
        if (!group.isEmpty()) {
            if (change.after().isPresent()) {
                podsByLabel
                        .computeIfAbsent(group, any -> new ConcurrentHashMap<>())
                        .put(pod.key(), pod);
            } else {
                withoutEnded.remove(group);
            }
            later(Coscheduling.POD_GROUP, pod.namespace(), group);
        }
        for (OtherObject quota : quotas.in(pod.namespace())) {
            later(CapacityScheduling.ELASTIC_QUOTA, quota.namespace(), quota.name());
        }
    }

    private void remove(Pod pod) {
        podsByLabel.computeIfPresent(pod.labels().getOrDefault(Coscheduling.LABEL, ""), (any, known) -> {
            known.remove(pod.key());
            return known.isEmpty() ? null : known;
        });
    }

    private void later(ObjectKind<OtherObject> kind, String namespace, String name) {
        Context started = context;
        if (started != null) {
            started.add(kind.kind(), namespace, name);
        }
    }

    @Override
    public void start(Context given) {
        context = given;
        groups.all().forEach(group -> later(Coscheduling.POD_GROUP, group.namespace(), group.name()));
        quotas.all().forEach(quota -> later(CapacityScheduling.ELASTIC_QUOTA, quota.namespace(), quota.name()));
    }

    @Override
    public void reconcile(String kind, String namespace, String name) {
        try {
            write(kind, namespace, name);
        } catch (ClusterException failed) {
            // An object that was deleted meanwhile needs no status.
            if (!failed.isNotFound()) {
                throw failed;
            }
        }
    }

    private void write(String kind, String namespace, String name) {
        if (kind.equals(Coscheduling.POD_GROUP.kind())) {
            Optional<OtherObject> group = groups.get(namespace, name);
            if (group.isPresent()) {
                reconcileGroup(group.get());
            }
        } else {
            for (OtherObject quota : quotas.in(namespace)) {
                reconcileQuota(quota, namespace + "/" + name);
            }
        }
    }

    private void reconcileGroup(OtherObject group) {
        ObjectFields fields = group.fields();
        String phase = fields.string("status", "phase").orElse("");
        if (OVER.contains(phase)) {
            return;
        }
        if ((phase.equals(SCHEDULING) || phase.equals(PENDING))
                && fields.integer("status", "running").orElse(0) == 0
                && isLate(group, fields)) {
            report(ObjectEvent.warning(
                    group, "PodGroupController", "Timeout", ACTION, "schedule time longer than 48 hours"));
            return;
        }
        Map<String, Object> status = new LinkedHashMap<>();
        List<Pod> members = phase.isEmpty() ? List.of() : members(group);
        long minMember = fields.integer("spec", "minMember").orElse(0);
        if (phase.isEmpty()) {
            status.put("phase", PENDING);
        } else if (phase.equals(PENDING)) {
            if (members.size() >= minMember) {
                status.put("phase", SCHEDULING);
                occupant(members).ifPresent(occupant -> status.put("occupiedBy", occupant));
            }
        } else {
            count(members, minMember, status);
        }
        write(Coscheduling.POD_GROUP, group, fields.object("status"), status);
    }

    private static boolean isLate(OtherObject group, ObjectFields fields) {
        Optional<String> start = fields.string("status", "scheduleStartTime");
        Optional<Instant> created = group.metadata().creationTimestamp();
        if (start.isEmpty() || created.isEmpty()) {
            return false;
        }
        try {
            return Duration.between(created.get(), Instant.parse(start.get())).compareTo(LONGEST) > 0;
        } catch (DateTimeParseException unreadable) {
            return false;
        }
    }

    private List<Pod> members(OtherObject group) {
        Map<String, Pod> members = new TreeMap<>(podsByLabel.getOrDefault(group.name(), Map.of()));
        endedPods(group.name()).forEach(pod -> members.put(pod.key(), pod));
        return List.copyOf(members.values());
    }

    private List<Pod> endedPods(String group) {
        Context started = context;
        // Added before the request, so that a pod that ends meanwhile removes the group again.
        if (started == null || group.length() > LONGEST_LABEL || !withoutEnded.add(group)) {
            return List.of();
        }
        boolean hasNone = false;
        try {
            List<Pod> ended = started.endedPods(Coscheduling.LABEL, group);
            hasNone = ended.isEmpty();
            return ended;
        } finally {
            if (!hasNone) {
                withoutEnded.remove(group);
            }
        }
    }

    private static Optional<String> occupant(List<Pod> members) {
        Set<String> owners = new TreeSet<>();
        if (!members.isEmpty()) {
            Pod first = members.get(0);
            for (OwnerReference owner : first.metadata().ownerReferences()) {
                owners.add(first.namespace() + "/" + owner.name());
            }
        }
        return owners.isEmpty() ? Optional.empty() : Optional.of(String.join(",", owners));
    }

    private static void count(List<Pod> members, long minMember, Map<String, Object> status) {
        long running = inPhase(members, "Running");
        long succeeded = inPhase(members, "Succeeded");
        long failed = inPhase(members, "Failed");
        status.put("running", running);
        status.put("succeeded", succeeded);
        status.put("failed", failed);
        if (members.size() < minMember) {
            status.put("phase", PENDING);
            return;
        }
        String phase = succeeded + running < minMember ? SCHEDULING : "Running";
        if (failed != 0 && failed + running + succeeded >= minMember) {
            phase = "Failed";
        }
        status.put("phase", succeeded >= minMember ? "Finished" : phase);
    }

    private static long inPhase(List<Pod> pods, String phase) {
        return pods.stream().filter(pod -> pod.status().phase().equals(phase)).count();
    }

    // The event has the name in the request, which may be a pod's in the recorded answers.
    private void reconcileQuota(OtherObject quota, String requested) {
        ObjectFields fields = quota.fields();
        Map<String, Quantity> used = new TreeMap<>();
        for (String limit : List.of("min", "max")) {
            fields.object("spec", limit).names().forEach(resource -> used.put(resource, Quantity.ZERO));
        }
        for (Pod pod : pods.in(quota.namespace())) {
            if (pod.status().phase().equals("Running")) {
                requests(pod).forEach((resource, amount) -> used.merge(resource, amount, Quantity::plus));
            }
        }
        if (!isSame(used, fields.quantityMap("status", "used"))) {
            Map<String, Object> amounts = new LinkedHashMap<>();
            fields.object("status", "used").names().forEach(resource -> amounts.put(resource, REMOVED));
            used.forEach((resource, amount) -> amounts.put(resource, amount.toString()));
            handle.cluster()
                    .writer()
                    .patch(
                            CapacityScheduling.ELASTIC_QUOTA,
                            quota.namespace(),
                            quota.name(),
                            MergePatch.ofStatus("{\"status\":{\"used\":" + json(amounts) + "}}"));
            report(ObjectEvent.normal(
                    quota,
                    "ElasticQuotaController",
                    "Synced",
                    ACTION,
                    "Elastic Quota " + requested + " synced successfully"));
        }
    }

    private void report(ObjectEvent event) {
        handle.cluster().writer().report(event);
    }

    // Upstream leaves the overhead out.
    private static Map<String, Quantity> requests(Pod pod) {
        Map<String, Quantity> requests = new TreeMap<>();
        for (Container container : pod.spec().containers()) {
            container.requests().forEach((resource, amount) -> requests.merge(resource, amount, Quantity::plus));
        }
        for (Container container : pod.spec().initContainers()) {
            container.requests().forEach((resource, amount) -> requests.merge(resource, amount, Quantity::max));
        }
        return requests;
    }

    private static boolean isSame(Map<String, Quantity> used, Map<String, Quantity> known) {
        if (!used.keySet().equals(known.keySet())) {
            return false;
        }
        for (Map.Entry<String, Quantity> amount : used.entrySet()) {
            if (amount.getValue().compareTo(Objects.requireNonNull(known.get(amount.getKey()))) != 0) {
                return false;
            }
        }
        return true;
    }

    private void write(
            ObjectKind<OtherObject> kind, OtherObject object, ObjectFields known, Map<String, Object> status) {
        Map<String, Object> changed = new LinkedHashMap<>(status);
        changed.entrySet()
                .removeIf(field -> field.getValue() instanceof Long count
                        ? known.integer(field.getKey()).orElse(0) == count
                        : known.string(field.getKey())
                                .filter(field.getValue()::equals)
                                .isPresent());
        if (!changed.isEmpty()) {
            handle.cluster()
                    .writer()
                    .patch(
                            kind,
                            object.namespace(),
                            object.name(),
                            MergePatch.ofStatus("{\"status\":" + json(changed) + "}"));
        }
    }

    private static String json(Map<String, Object> fields) {
        List<String> texts = new ArrayList<>();
        fields.forEach((name, value) -> texts.add(Json.text(name) + ":"
                + (value == REMOVED
                        ? "null"
                        : value instanceof Long ? value.toString() : Json.text(value.toString()))));
        return "{" + String.join(",", texts) + "}";
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
    public static final class Factory implements PluginFactory<PluginArgs.None> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<PluginArgs.None> argsType() {
            return PluginArgs.None.class;
        }

        @Override
        public Plugin create(PluginArgs.None args, Handle handle) {
            return new SchedulingController(handle);
        }
    }
}
