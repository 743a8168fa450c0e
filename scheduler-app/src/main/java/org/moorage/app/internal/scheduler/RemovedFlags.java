// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.config.older.PolicyTexts;
import picocli.CommandLine.Option;

/**
 * Flags that kube-scheduler had until 1.22, for the settings of a configuration of version v1alpha1. As in
 * kube-scheduler, they only have an effect without a configuration file.
 */
@OptionGroup(Heading.COMPATIBILITY)
final class RemovedFlags {
    @Option(names = "--policy-config-file", paramLabel = "FILE", hidden = true, description = "File with a Policy.")
    private Optional<String> policyFile = Optional.empty();

    @Option(names = "--policy-configmap", paramLabel = "NAME", hidden = true, description = "ConfigMap with a Policy.")
    private Optional<String> policyConfigMap = Optional.empty();

    @Option(
            names = "--policy-configmap-namespace",
            paramLabel = "NAMESPACE",
            hidden = true,
            description = "Namespace of --policy-configmap.")
    private Optional<String> policyNamespace = Optional.empty();

    @Option(
            names = "--algorithm-provider",
            paramLabel = "NAME",
            hidden = true,
            description = "DefaultProvider or ClusterAutoscalerProvider.")
    private Optional<String> provider = Optional.empty();

    @Option(
            names = "--scheduler-name",
            paramLabel = "NAME",
            hidden = true,
            description = "The schedulerName of the pods to schedule.")
    private Optional<String> schedulerName = Optional.empty();

    @Option(
            names = "--hard-pod-affinity-symmetric-weight",
            paramLabel = "N",
            hidden = true,
            description = "An argument of InterPodAffinity.")
    private Optional<Integer> hardAffinity = Optional.empty();

    @Option(
            names = "--lock-object-name",
            paramLabel = "NAME",
            hidden = true,
            description = "As --leader-elect-resource-name.")
    private Optional<String> lockName = Optional.empty();

    @Option(
            names = "--lock-object-namespace",
            paramLabel = "NAMESPACE",
            hidden = true,
            description = "As --leader-elect-resource-namespace.")
    private Optional<String> lockNamespace = Optional.empty();

    /** The configuration that they amount to, if any is given. */
    Optional<PolicyTexts.PolicyText> config() {
        ObjectNode config = JsonNodeFactory.instance.objectNode();
        provider.ifPresent(name -> config.putObject("algorithmSource").put("provider", name));
        // A Policy counts more than a provider, and a ConfigMap more than a file.
        if (policyConfigMap.isPresent()) {
            config.putObject("algorithmSource")
                    .putObject("policy")
                    .putObject("configMap")
                    .put("name", policyConfigMap.get())
                    .put("namespace", policyNamespace.orElse("kube-system"));
        } else if (policyFile.isPresent()) {
            config.putObject("algorithmSource")
                    .putObject("policy")
                    .putObject("file")
                    .put("path", policyFile.get());
        }
        schedulerName.ifPresent(name -> config.put("schedulerName", name));
        hardAffinity.ifPresent(weight -> config.put("hardPodAffinitySymmetricWeight", weight));
        lockName.ifPresent(name -> config.withObject("/leaderElection").put("lockObjectName", name));
        lockNamespace.ifPresent(name -> config.withObject("/leaderElection").put("lockObjectNamespace", name));
        if (config.isEmpty()) {
            return Optional.empty();
        }
        config.put("apiVersion", "kubescheduler.config.k8s.io/v1alpha1").put("kind", "KubeSchedulerConfiguration");
        return Optional.of(new PolicyTexts.PolicyText(config.toString(), "flags"));
    }
}
