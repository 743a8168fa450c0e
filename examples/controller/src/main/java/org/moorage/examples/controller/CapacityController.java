// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.controller;

import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CustomObjectsApi;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.PatchUtils;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.moorage.api.model.ObjectKind;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.clientjava.ClientJavaInformers;
import org.moorage.clientjava.ClientJavaRequests;
import org.moorage.clientjava.LeaseLeader;
import org.moorage.clientjava.LenientListerWatcher;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LeaderElection;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.HowMany;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.admission.AdmittedPod;
import org.moorage.simulation.admission.NewPods;

/** Keeps the answers of {@link CapacityQuestion}s up to date while it is the leader. */
record CapacityController(
        Scheduler scheduler, NewPods newPods, SharedIndexInformer<CapacityQuestion> questions, ApiClient client)
        implements Reconciler {
    private static final ObjectKind<?> KIND =
            ObjectKind.other("example.com/v1", "CapacityQuestion", "capacityquestions", true);
    private static final Duration ASK_AGAIN = Duration.ofSeconds(2);
    private static final LeaderElection LEASE = new LeaderElection(
            true, Duration.ofSeconds(30), Duration.ofSeconds(20), ASK_AGAIN, "leases", "capacity-controller", "default");

    /** Runs until it is stopped or another process is the leader; then the exit code is 1. */
    public static void main(String[] args) throws IOException {
        ApiClient client = Config.defaultClient().setReadTimeout(0);
        SharedInformerFactory factory = new SharedInformerFactory(client);
        factory.sharedIndexInformerFor(LenientListerWatcher.pods(client), V1Pod.class, 0);
        factory.sharedIndexInformerFor(LenientListerWatcher.nodes(client), V1Node.class, 0);
        SharedIndexInformer<CapacityQuestion> questions = factory.sharedIndexInformerFor(
                new LenientListerWatcher<>(client, KIND, CapacityQuestion.class, CapacityQuestion.Items.class),
                CapacityQuestion.class,
                0);
        factory.startAllRegisteredInformers();

        // region scheduler
        PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
        LoadedConfig config = ConfigLoader.defaults(plugins);
        NewPods newPods = new NewPods(config.featureGates());
        boolean isLost;
        try (InformerCluster cluster =
                        InformerCluster.of(ClientJavaRequests.through(client), new ClientJavaInformers(factory));
                Scheduler scheduler = Scheduler.builder(config, plugins, cluster).build();
                InformerCluster forAdmission =
                        InformerCluster.of(ClientJavaRequests.through(client), kind -> Optional.empty());
                LeaseLeader leader = new LeaseLeader(
                        ClientJavaRequests.through(client), LEASE, UUID.randomUUID().toString())) {
            scheduler.start(); // and not run(): it follows the cluster, and schedules nothing
            newPods.watch(forAdmission);
            Controller controller = ControllerBuilder.defaultBuilder(factory)
                    .watch(queue -> ControllerBuilder.controllerWatchBuilder(CapacityQuestion.class, queue).build())
                    .withReadyFunc(questions::hasSynced)
                    .withWorkerCount(2)
                    .withReconciler(new CapacityController(scheduler, newPods, questions, client))
                    .build();
            Runtime.getRuntime().addShutdownHook(new Thread(leader::close));
            isLost = leader.run(controller::run, controller::shutdown);
        }
        // endregion
        System.exit(isLost ? 1 : 0);
    }

    @Override
    public Result reconcile(Request request) {
        CapacityQuestion question = questions.getIndexer().getByKey(request.getNamespace() + "/" + request.getName());
        if (question == null) {
            return new Result(false);
        }
        CapacityQuestion.Answer answer = answer(question);
        if (!answer.equals(question.status())) {
            CustomObjectsApi.APIpatchNamespacedCustomObjectStatusRequest write = new CustomObjectsApi(client)
                    .patchNamespacedCustomObjectStatus(
                            KIND.group(), "v1", request.getNamespace(), KIND.plural(), request.getName(),
                            List.of(Map.of("op", "add", "path", "/status", "value", answer)));
            try {
                PatchUtils.patch(Object.class, () -> write.buildCall(null), V1Patch.PATCH_FORMAT_JSON_PATCH, client);
            } catch (ApiException e) {
                throw new IllegalStateException("cannot write the answer: " + e.getMessage(), e);
            }
        }
        return new Result(true, ASK_AGAIN);
    }

    private CapacityQuestion.Answer answer(CapacityQuestion question) {
        long generation = question.metadata().getGeneration();
        try {
            HowMany answer = howMany(question.spec(), question.metadata().getNamespace());
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
        try (WhatIf cluster = scheduler.whatIf()) {
            Set<String> gone = new HashSet<>(cluster.nodeNames());
            gone.retainAll(spec.withoutNodes());
            return cluster.without(gone).howMany(pod.pod(), spec.count());
        }
    }
}
