// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.tasks;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.fabric8.Fabric8Requests;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.Fit;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.admission.NewPods;

/** Creates the pod of each {@link Task} once it fits, so that no pod is pending for lack of resources. */
@ControllerConfiguration(name = "task-operator")
public final class TaskOperator implements Reconciler<Task> {
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final Scheduler scheduler;
    private final NewPods newPods;
    private final KubernetesClient client;

    private TaskOperator(Scheduler scheduler, NewPods newPods, KubernetesClient client) {
        this.scheduler = scheduler;
        this.newPods = newPods;
        this.client = client;
    }

    /** Runs until the process ends. */
    public static void main(String[] args) {
        start(new KubernetesClientBuilder().build());
    }

    /** Starts an operator, which runs until it is stopped. */
    static Operator start(KubernetesClient client) {
        PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
        LoadedConfig config = ConfigLoader.defaults(plugins);
        Scheduler scheduler = Scheduler.builder(config, plugins, cluster(client)).build();
        scheduler.start(); // and not run(): it follows the cluster, and schedules nothing
        NewPods newPods = new NewPods(config.featureGates());
        newPods.watch(cluster(client));

        Operator operator = new Operator(settings -> settings.withKubernetesClient(client));
        operator.register(new TaskOperator(scheduler, newPods, client));
        operator.start();
        return operator;
    }

    // Without informers: the scheduler watches what it reads, through the operator's client.
    private static InformerCluster cluster(KubernetesClient client) {
        return InformerCluster.of(Fabric8Requests.through(client), kind -> Optional.empty());
    }

    // region reconcile
    @Override
    public UpdateControl<Task> reconcile(Task task, Context<Task> context) {
        Map<String, Object> manifest = manifest(task);
        Resource<Pod> pod = client.resource(client.getKubernetesSerialization().convertValue(manifest, Pod.class));
        if (pod.get() != null) {
            return done(task, "Created", "");
        }
        try (WhatIf cluster = scheduler.whatIf()) {
            Fit fit = cluster.fits(newPods.admit(manifest).pod());
            if (!fit.fits()) {
                return done(task, "Waiting", fit.message()).rescheduleAfter(RETRY);
            }
        } catch (ObjectRefusedException | ObjectDecodeException rejected) {
            return done(task, "Rejected", rejected.getMessage());
        }
        pod.create();
        return done(task, "Created", "");
    }
    // endregion

    private static Map<String, Object> manifest(Task task) {
        Map<String, Object> owner = Map.of(
                "apiVersion", task.getApiVersion(),
                "kind", task.getKind(),
                "name", task.getMetadata().getName(),
                "uid", task.getMetadata().getUid());
        return Map.of(
                "apiVersion", "v1",
                "kind", "Pod",
                "metadata",
                        Map.of(
                                "name", task.getMetadata().getName(),
                                "namespace", task.getMetadata().getNamespace(),
                                "ownerReferences", List.of(owner)),
                "spec", task.getSpec().podSpec());
    }

    private UpdateControl<Task> done(Task task, String state, String message) {
        Task.Progress progress = new Task.Progress(state, message);
        if (!progress.equals(task.getStatus())) {
            task.setStatus(progress);
            client.resource(task).updateStatus();
        }
        return UpdateControl.noUpdate();
    }
}
