// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import javax.management.JMException;
import javax.management.ObjectName;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.app.internal.metrics.PrometheusMetrics;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.Selectors;
import org.slf4j.LoggerFactory;

/**
 * Creates and deletes pods for a long virtual time, each with a different name, labels, owner, images and resources, as
 * well as namespaces, nodes and claims. When all are deleted, the scheduler must hold no more than after the first
 * thousands of pods.
 */
public final class PodSoak implements AutoCloseable {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("org.moorage");
    private static final PluginRegistry OWN = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig CONFIG = ConfigLoader.load("""
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            """, "soak", OWN);
    /** A million pods take an hour. */
    private static final Duration INTERVAL = Duration.ofNanos(3_600_000);

    private static final int LIVE_PODS = 120;
    private static final int LIVE_NODES = 12;
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final String CLASS = "device";

    private final RandomGenerator random;
    private final VirtualExecutor executor;
    private final InMemoryCluster cluster = new InMemoryCluster();
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Scheduler scheduler;
    private final Deque<Live> pods = new ArrayDeque<>();
    private final Deque<Node> nodes = new ArrayDeque<>();
    private long number;
    private long bound;

    /** A pod and the objects that belong to it. */
    private record Live(
            Pod pod, List<PersistentVolumeClaim> volumes, List<ResourceClaim> claims, Namespace namespace) {}

    /**
     * The contents of the process after a garbage collection.
     *
     * @param histogram the number of instances of each class, in the JVM's format; a single text, so that an earlier
     *     histogram does not count as growth
     * @param dump the state of the scheduler
     * @param threads the number of threads
     * @param series the number of series of the metrics
     */
    public record Holdings(String histogram, SchedulerDump dump, int threads, long series) {
        /** Returns the classes whose number of instances has grown by more than the given number. */
        public Map<String, Long> grownSince(Holdings before, long atMost) {
            Map<String, Long> instancesBefore = before.instances();
            Map<String, Long> grown = new TreeMap<>();
            instances().forEach((name, count) -> {
                long more = count - instancesBefore.getOrDefault(name, 0L);
                if (more > atMost) {
                    grown.put(name, more);
                }
            });
            return grown;
        }

        private Map<String, Long> instances() {
            Map<String, Long> instances = new TreeMap<>();
            for (String[] words : lines()) {
                instances.merge(words[3], Long.valueOf(words[1]), Long::sum);
            }
            return instances;
        }

        /** Returns the total size of all instances in bytes. */
        public long bytes() {
            return lines().stream().mapToLong(words -> Long.parseLong(words[2])).sum();
        }

        private List<String[]> lines() {
            List<String[]> lines = new ArrayList<>();
            for (String line : histogram.split("\n")) {
                String[] words = line.strip().split("\\s+");
                if (words.length >= 4 && words[0].endsWith(":") && Character.isDigit(words[0].charAt(0))) {
                    lines.add(words);
                }
            }
            return lines;
        }
    }

    /** Starts a scheduler without pods. Logging is off until it is closed. */
    public PodSoak(long seed) {
        LOGGER.setLevel(Level.OFF);
        random = new SplittableRandom(seed);
        executor = new VirtualExecutor(new SplittableRandom(seed + 1));
        PrometheusMetrics metrics = new PrometheusMetrics(registry, executor);
        scheduler = Scheduler.builder(CONFIG.config(), OWN, withoutEvents())
                .featureGates(CONFIG.featureGates())
                .clock(executor)
                .random(new SplittableRandom(seed + 2))
                .listener(metrics)
                .pluginCallTimeout(Duration.ZERO)
                .executor(executor, executor::pause)
                .build();
        cluster.apply(new DeviceClass(ObjectMeta.named(CLASS).build(), List.of(), List.of(), ""));
        scheduler.start();
        executor.cycle(() -> scheduler.scheduleNext().isPresent());
    }

    // The cluster stores all events for later queries.
    private Cluster withoutEvents() {
        return (Cluster) Proxy.newProxyInstance(
                Cluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("report")) {
                        return null;
                    }
                    try {
                        return method.invoke(cluster, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    /** Creates the given number of pods and deletes all of them. */
    public void run(long count) {
        for (long i = 0; i < count; i++) {
            if (number % 400 == 0) {
                replaceNode();
            }
            // Runs as a task, since the scheduler looks for a pod only after a task.
            executor.execute(() -> pods.add(create()));
            pass(INTERVAL);
            if (pods.size() > LIVE_PODS) {
                remove(pods.remove());
            }
        }
        pods.forEach(this::remove);
        pods.clear();
        nodes.forEach(cluster::remove);
        nodes.clear();
        // Longer than any pod is pending.
        pass(Duration.ofMinutes(20));
    }

    /** Returns the number of pods that were bound when they were deleted. */
    public long bound() {
        return bound;
    }

    private void pass(Duration time) {
        Instant end = executor.instant().plus(time);
        while (executor.instant().isBefore(end) && executor.runNext(end)) {
            // until it is time
        }
        if (!executor.uncaught().isEmpty()) {
            throw new AssertionError("uncaught", executor.uncaught().get(0));
        }
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private void replaceNode() {
        if (nodes.size() >= LIVE_NODES) {
            cluster.remove(nodes.remove());
        }
        do {
            String name = "node-" + number + "-" + nodes.size();
            Node node = Nodes.named(name)
                    .label(HOSTNAME, name)
                    .label("label-of-" + name, name)
                    .allocatable("cpu", "4")
                    .allocatable("memory", "16Gi")
                    .allocatable("pods", "20")
                    .allocatable("example.com/resource-of-" + name, "10")
                    .build();
            cluster.apply(node);
            nodes.add(node);
        } while (nodes.size() < LIVE_NODES);
    }

    private Live create() {
        String name = "pod-" + number;
        Namespace namespace = new Namespace(ObjectMeta.named("namespace-" + number / 50)
                .labels(Map.of("team", "team-" + number / 50))
                .build());
        String app = "app-" + number / 5;
        Pods pod = Pods.named(name)
                .namespace(namespace.name())
                .uid("uid-" + number)
                .label("app", app)
                .label("key-" + name, name)
                .annotation("note-" + name, name)
                .controlledBy("apps/v1", "ReplicaSet", "owner-" + number)
                .created(executor.instant())
                .image("registry.example.com/image-" + number)
                .requests("cpu", random.nextInt(1, 4) * 100 + "m")
                .requests("memory", random.nextInt(1, 8) * 100 + "Mi")
                .generation(1);
        number++;
        List<PersistentVolumeClaim> volumes = new ArrayList<>();
        List<ResourceClaim> claims = new ArrayList<>();
        if (number % 50 == 1) {
            cluster.apply(namespace);
        }
        if (chance(15)) {
            pod.priority(100);
        }
        if (chance(5)) {
            pod.hostPort(random.nextInt(1024, 60_000));
        }
        if (chance(8)) {
            pod.requiresPodAntiAffinity(HOSTNAME, "app", app);
        } else if (chance(4)) {
            pod.requiresPodAffinity(HOSTNAME, "app", "app-" + (number - random.nextInt(1, 60)) / 5);
        }
        if (chance(8)) {
            pod.spread(new TopologySpreadConstraint(
                    1,
                    HOSTNAME,
                    "DoNotSchedule",
                    Optional.of(new LabelSelector(Map.of("app", app), List.of())),
                    OptionalInt.empty(),
                    "",
                    "",
                    List.of()));
        }
        if (chance(4)) {
            pod.nodeSelector("label-of-" + name, name);
        }
        if (chance(4)) {
            pod.toleratesAll("taint-" + name);
        }
        if (chance(4)) {
            pod.requests("example.com/resource-of-pod-" + number, "1");
        }
        if (chance(3)) {
            pod.schedulingGate("example.com/gate-" + number);
        }
        if (chance(4)) {
            volumes.add(PersistentVolumeClaim.of(ObjectMeta.named("data-" + name)
                            .namespace(namespace.name())
                            .build())
                    .request(Quantity.parse("1Gi"))
                    .accessModes(List.of("ReadWriteOnce"))
                    .storageClassName("class-" + number)
                    .phase("Pending")
                    .build());
            pod.claim("data-" + name);
        }
        if (chance(4)) {
            claims.add(ResourceClaim.of(
                    ObjectMeta.named("claim-" + name)
                            .namespace(namespace.name())
                            .uid("claim-" + number)
                            .build(),
                    List.of(DeviceRequest.of("r", CLASS, 1))));
            pod.resourceClaim(new PodSpec.ResourceClaim("device", "claim-" + name, ""));
        }
        volumes.forEach(cluster::apply);
        claims.forEach(cluster::apply);
        if (chance(2)) {
            PodDisruptionBudget budget = new PodDisruptionBudget(
                    ObjectMeta.named("budget").namespace("default").build(),
                    Optional.of(Selectors.labels("app", app)),
                    1,
                    Set.of());
            cluster.apply(budget);
        }
        Pod built = pod.build();
        cluster.apply(built);
        return new Live(built, volumes, claims, namespace);
    }

    private void remove(Live live) {
        bound += cluster.find(ObjectKind.POD, live.pod.namespace(), live.pod.name())
                        .filter(Pod::isBound)
                        .isPresent()
                ? 1
                : 0;
        cluster.remove(live.pod);
        live.volumes.forEach(cluster::remove);
        live.claims.forEach(cluster::remove);
        if (live.pod.name().endsWith("9")) {
            cluster.remove(live.namespace);
        }
    }

    /** Returns the current contents of the process. */
    public Holdings holdings() {
        try {
            String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
            long series = 0;
            for (MetricSnapshot snapshot : registry.scrape()) {
                series += snapshot.getDataPoints().size();
            }
            return new Holdings(
                    histogram,
                    scheduler.dump(),
                    ManagementFactory.getThreadMXBean().getThreadCount(),
                    series);
        } catch (JMException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Override
    public void close() {
        scheduler.close();
        LOGGER.setLevel(null);
    }
}
