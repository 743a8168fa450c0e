// SPDX-License-Identifier: Apache-2.0
package org.moorage.springboot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.io.Resource;

/**
 * The properties of the auto-configuration.
 *
 * @param enabled whether it creates beans
 * @param config the configuration in kube-scheduler's format, such as {@code classpath:scheduler.yaml};
 *     kube-scheduler's defaults if not set
 * @param kubeconfig the file with the address and credentials of the API server; several are separated as in the
 *     environment variable {@code KUBECONFIG}. If empty, the file that {@code clientConnection} of the configuration
 *     names, or else the cluster in which the program runs as a pod
 * @param context the context of the kubeconfig, in place of the current one if not empty; requires {@code kubeconfig}
 * @param schedules whether to schedule pods, with leader election as configured; otherwise the scheduler follows the
 *     cluster for questions, and writes nothing
 */
@ConfigurationProperties("moorage")
public record MoorageProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable Resource config,
        @DefaultValue("") String kubeconfig,
        @DefaultValue("") String context,
        boolean schedules) {}
