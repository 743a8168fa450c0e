// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.moorage.api.GroupKey;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.cluster.MergePatch;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.ConfigReading;
import org.moorage.config.LoadedConfig;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.older.PolicyTexts;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.whatif.Questions;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SteppingClock;
import org.moorage.simulation.admission.AdmittedPod;
import org.moorage.simulation.admission.NewPods;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.ClusterDumpReader;
import org.moorage.simulation.dump.Manifests;
import org.moorage.simulation.whatif.ClusterCapacity;
import org.moorage.simulation.whatif.FittingChanges;
import org.moorage.simulation.whatif.KnownCluster;
import org.moorage.simulation.whatif.NodeEstimate;
import org.moorage.simulation.whatif.NodeEstimator;
import org.moorage.simulation.whatif.NodeMixSearch;
import org.moorage.simulation.whatif.NodeRemoval;
import org.moorage.simulation.whatif.NodeTemplate;
import org.moorage.simulation.whatif.PodSizes;
import org.moorage.simulation.whatif.RebalanceGoal;
import org.moorage.simulation.whatif.RemovalRules;
import org.moorage.simulation.whatif.Rescheduling;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PodGroups;
import org.moorage.testkit.Pods;

/**
 * Every method and constructor of the public API refuses null with a {@link NullPointerException} that names the
 * argument, and so do what-if questions for collections with null in them. Records, which are answers, and interfaces
 * that programs implement are skipped.
 */
@Tag("any-jvm")
@Timeout(300)
class NullArgumentsTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final LoadedConfig CONFIG = ConfigLoader.defaults(PLUGINS);
    private static final Node NODE = Nodes.named("x")
            .allocatable("cpu", "4")
            .allocatable("memory", "8Gi")
            .build();
    private static final Pod POD = Pods.named("p").build();
    private static final PodGroup GROUP = PodGroups.named("g").gang(1).build();
    /** As {@code Objects.requireNonNull(argument, "argument")} has it, and not the text that the JVM makes. */
    private static final String NAMED = "[a-zA-Z]+";

    private final WhatIf whatIf = Scheduler.whatIf(List.of(NODE), CONFIG, PLUGINS);
    private final Transaction transaction = whatIf.begin();
    private final InMemoryCluster cluster = InMemoryCluster.of(List.of(NODE));
    private final Scheduler scheduler =
            Scheduler.builder(CONFIG, PLUGINS, cluster).build();
    private final KnownCluster known = new KnownCluster(whatIf, List.of(NODE), CONFIG, Instant.EPOCH);
    private final Manifests manifests = new Manifests(FeatureGates.DEFAULTS);
    private final Evaluation evaluation = whatIf.evaluate(POD);
    private final NodeTemplate template = new NodeTemplate("t", "t", NODE, List.of(), List.of(), List.of());

    /** The objects whose methods are called; of other types only static methods are. */
    private final Map<Class<?>, Object> targets = new LinkedHashMap<>();

    private final SampleValues samples = new SampleValues()
            .with(Pod.class, POD)
            .with(Node.class, NODE)
            .with(PodGroup.class, GROUP)
            .with(ClusterObject.class, NODE)
            .with(ObjectKind.class, ObjectKind.NODE)
            .with(PluginRegistry.class, PLUGINS)
            .with(LoadedConfig.class, CONFIG)
            .with(SchedulerConfig.class, CONFIG.config())
            .with(ClusterSource.class, ClusterSource.of(List.of()))
            .with(FeatureGates.class, FeatureGates.DEFAULTS)
            .with(RebalanceGoal.class, new RebalanceGoal.FreeNodes())
            .with(PodSizes.class, PodSizes.of(List.of()))
            .with(Duration.class, Duration.ofSeconds(1))
            .with(Runnable.class, () -> {})
            .with(Nomination.class, Nomination.keep())
            .with(Quantity.class, Quantity.of(1))
            .with(MergePatch.class, MergePatch.of("{}"))
            .with(Instant.class, Instant.EPOCH)
            .with(InstantSource.class, InstantSource.fixed(Instant.EPOCH))
            .with(InputStream.class, new ByteArrayInputStream(new byte[0]))
            .with(Path.class, Path.of("no-such-file.yaml"))
            .with(Path[].class, new Path[0])
            .with(String[].class, new String[0])
            .with(ClusterObject[].class, new ClusterObject[0])
            .with(GroupKey.class, GroupKey.podGroup("default", "g"))
            .with(ObjectChange.class, ObjectChange.added(NODE))
            .with(ResourceName.class, ResourceName.CPU)
            .with(WhatIf.class, whatIf)
            .with(Transaction.class, transaction)
            .with(Questions.class, whatIf)
            .with(KnownCluster.class, known)
            .with(Manifests.class, manifests)
            .with(Evaluation.class, evaluation)
            .with(RemovalRules.class, RemovalRules.DEFAULTS)
            .with(NodeTemplate.class, template)
            .with(NodeEstimate.class, new NodeEstimator(known, -10, count -> {}).estimate(template, List.of(), 1))
            .with(AdmittedPod.class, new AdmittedPod(POD, List.of(), List.of()))
            .with(
                    ConfigReading.class,
                    ConfigLoader.read("{}", "config", PLUGINS, FeatureGates.DEFAULTS, PolicyTexts.files()));

    NullArgumentsTest() {
        scheduler.start();
        for (Object target : List.of(
                scheduler,
                Scheduler.builder(CONFIG, PLUGINS, cluster),
                scheduler.partialCycles("default-scheduler", Duration.ofSeconds(1)),
                cluster,
                Simulation.of(List.of(NODE), CONFIG, PLUGINS),
                SteppingClock.startingAfter(List.of()),
                new AdmittedPod(POD, List.of(), List.of()),
                new NewPods(),
                new ClusterDumpReader(),
                manifests,
                known,
                known.rescheduling(transaction),
                new ClusterCapacity(known, count -> {}),
                new NodeEstimator(known, -10, count -> {}),
                new NodeMixSearch(known, -10, count -> {}),
                new NodeRemoval(known, RemovalRules.DEFAULTS),
                new FittingChanges(transaction, List.of(NODE), evaluation),
                PodSizes.of(List.of()))) {
            targets.put(target.getClass(), target);
        }
        targets.put(WhatIf.class, whatIf);
        targets.put(Transaction.class, transaction);
        assertThat(targets).containsKey(Rescheduling.class);
    }

    @AfterEach
    void close() {
        transaction.close();
        whatIf.close();
        scheduler.close();
    }

    @Test
    void areRefusedByTheirNames() throws Exception {
        List<Class<?>> types = new ArrayList<>(List.of(WhatIf.class, Transaction.class));
        types.addAll(PublicTypes.of("framework-runtime"));
        types.addAll(PublicTypes.of("framework-simulation"));
        List<String> wrong = new ArrayList<>();
        int checked = 0;
        for (Class<?> type : types) {
            if (type.isRecord() || type.isEnum() || Throwable.class.isAssignableFrom(type)) {
                continue;
            }
            List<Executable> executables = new ArrayList<>(List.of(type.getConstructors()));
            executables.addAll(List.of(type.getMethods()));
            for (Executable executable : executables) {
                if (isOfApi(executable) && canCall(executable, type)) {
                    checked += check(executable, targets.get(type), wrong);
                }
            }
        }
        assertThat(checked).as("arguments").isGreaterThan(100);
        assertThat(wrong).isEmpty();
    }

    private boolean canCall(Executable executable, Class<?> type) {
        return executable instanceof Constructor<?>
                || Modifier.isStatic(executable.getModifiers())
                || targets.containsKey(type);
    }

    private static boolean isOfApi(Executable executable) {
        return executable.getDeclaringClass().getName().startsWith("org.moorage.")
                && !executable.getName().equals("equals")
                && !(executable instanceof Method method && method.isBridge());
    }

    private int check(Executable executable, Object target, List<String> wrong) throws Exception {
        int checked = 0;
        Class<?>[] types = executable.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            if (!types[i].isPrimitive()) {
                check(executable, target, i, null, wrong);
                checked++;
            }
            boolean isCollection = types[i] == List.class || types[i] == Collection.class;
            if (isCollection && Questions.class.isAssignableFrom(executable.getDeclaringClass())) {
                check(executable, target, i, Collections.singletonList(null), wrong);
                checked++;
            }
        }
        return checked;
    }

    private void check(Executable executable, Object target, int index, Object argument, List<String> wrong)
            throws Exception {
        Object[] arguments = new Object[executable.getParameterCount()];
        try {
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = i == index ? argument : samples.of(executable.getGenericParameterTypes()[i]);
            }
        } catch (IllegalArgumentException nosample) {
            wrong.add(executable.getDeclaringClass().getSimpleName() + "." + executable.getName() + " NOSAMPLE "
                    + nosample.getMessage());
            return;
        }
        String call = executable.getDeclaringClass().getSimpleName() + "." + executable.getName() + " of "
                + executable.getParameterCount() + ", "
                + executable.getParameterTypes()[index].getSimpleName() + " " + index
                + (argument == null ? " null" : " with null in it");
        try {
            if (executable instanceof Constructor<?> constructor) {
                Object ignored = constructor.newInstance(arguments);
            } else {
                Object ignored = ((Method) executable).invoke(target, arguments);
            }
            wrong.add(call + " throws nothing");
        } catch (InvocationTargetException thrown) {
            Throwable cause = thrown.getCause();
            if (!(cause instanceof NullPointerException)
                    || !String.valueOf(cause.getMessage()).matches(NAMED)) {
                wrong.add(call + " throws " + cause);
            }
        }
    }
}
