// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.cloud;

/** The shapes of a scheduler's configuration. */
public enum ConfigShape {
    /** A KubeSchedulerConfiguration, of any version, or a Policy. */
    KUBE_SCHEDULER("kube-scheduler", ""),
    /** The object {@code kubeSchedulerConfig} of a cluster of Amazon EKS, since August 2026. */
    EKS("eks", "EKS kubeSchedulerConfig"),
    /** The custom resource SchedulerConfiguration of Azure Kubernetes Service. */
    AKS("aks", "AKS SchedulerConfiguration");

    private final String name;
    private final String title;

    ConfigShape(String name, String title) {
        this.name = name;
        this.title = title;
    }

    /** Returns what the cloud calls it; empty for {@link #KUBE_SCHEDULER}. */
    public String title() {
        return title;
    }

    /** Returns the short name, such as {@code eks}. */
    @Override
    public String toString() {
        return name;
    }
}
