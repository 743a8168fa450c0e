// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

/** What happens to plugins that a configuration enables and that are not registered. */
public enum UnknownPlugins {
    /** The configuration is refused, as by kube-scheduler. */
    REFUSED,

    /**
     * The plugins are left out, with a warning for each profile. Where a profile then has no plugin that sorts the queue or binds pods,
     * kube-scheduler's default one does.
     */
    LEFT_OUT,

    /** As {@link #LEFT_OUT}, for a configuration that is only converted: {@link LoadedConfig#source} keeps the plugins. */
    KEPT
}
