// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.operator;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.fabric8.Fabric8Informers;
import org.moorage.fabric8.Fabric8Requests;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.HowMany;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.admission.AdmittedPod;
import org.moorage.simulation.admission.NewPods;

/**
 * Keeps the answers of {@link CapacityQuestion}s up to date while it is the leader; the process ends if another one is.
 */
@ControllerConfiguration(name = "capacity-operator")
public final class CapacityOperator implements Reconciler<CapacityQuestion> {
    private static final Duration ASK_AGAIN = Duration.ofSeconds(2);
    private static final LeaderElectionConfiguration LEASE = new LeaderElectionConfiguration(
            "capacity-operator", "default", Duration.ofSeconds(30), Duration.ofSeconds(20), ASK_AGAIN);

    private final Scheduler scheduler;
    private final NewPods newPods;

    private CapacityOperator(Scheduler scheduler, NewPods newPods) {
        this.scheduler = scheduler;
        this.newPods = newPods;
    }

    /** Runs until the process ends; stopping the operator would end it too, since it leads. */
    public static void main(String[] args) {
        KubernetesClient client = new KubernetesClientBuilder().build();
        SharedIndexInformer<Pod> pods = client.pods().inAnyNamespace().runnableInformer(0);
        SharedIndexInformer<Node> nodes = client.nodes().runnableInformer(0);
        pods.exceptionHandler((isStarted, thrown) -> true).start();
        nodes.exceptionHandler((isStarted, thrown) -> true).start();

        PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
        LoadedConfig config = ConfigLoader.defaults(plugins);
        NewPods newPods = new NewPods(config.featureGates());
        InformerCluster forAdmission = InformerCluster.of(Fabric8Requests.through(client), kind -> Optional.empty());
        InformerCluster cluster = InformerCluster.of(
                Fabric8Requests.through(client),
                new Fabric8Informers(client).with(pods).with(nodes));
        Scheduler scheduler = Scheduler.builder(config, plugins, cluster).build();
        scheduler.start(); // and not run(): it follows the cluster, and schedules nothing
        newPods.watch(forAdmission);

        Operator operator = new Operator(settings -> settings.withKubernetesClient(client)
                .withLeaderElectionConfiguration(LEASE)
                .withUseSSAToPatchPrimaryResource(false)); // which would send the question too
        operator.register(new CapacityOperator(scheduler, newPods));
        operator.start();
    }

    @Override
    public UpdateControl<CapacityQuestion> reconcile(CapacityQuestion question, Context<CapacityQuestion> context) {
        CapacityQuestion.Answer answer = answer(question);
        if (answer.equals(question.getStatus())) {
            return UpdateControl.<CapacityQuestion>noUpdate().rescheduleAfter(ASK_AGAIN);
        }
        question.setStatus(answer);
        return UpdateControl.patchStatus(question).rescheduleAfter(ASK_AGAIN);
    }

    private CapacityQuestion.Answer answer(CapacityQuestion question) {
        long generation = question.getMetadata().getGeneration();
        try {
            HowMany answer = howMany(question.getSpec(), question.getMetadata().getNamespace());
            return new CapacityQuestion.Answer(answer.count(), answer.byNode(), answer.stoppedBy(), "", generation);
        } catch (ObjectRefusedException | ObjectDecodeException | IllegalArgumentException e) {
            return new CapacityQuestion.Answer(0, Map.of(), "", e.getMessage(), generation);
        }
    }

    private HowMany howMany(CapacityQuestion.Spec spec, String namespace) {
        Map<String, Object> metadata = new HashMap<>(spec.template().metadata());
        metadata.put("namespace", namespace);
        AdmittedPod pod = newPods.admit(Map.of("metadata", metadata, "spec", spec.template().spec()));
        if (!pod.claims().isEmpty()) {
            throw new IllegalArgumentException("pods with per-pod claims are not supported");
        }
        // region ask
        try (WhatIf cluster = scheduler.whatIf()) {
            Set<String> gone = new HashSet<>(cluster.nodeNames());
            gone.retainAll(spec.withoutNodes());
            return cluster.without(gone).howMany(pod.pod(), spec.count());
        }
        // endregion
    }
}
