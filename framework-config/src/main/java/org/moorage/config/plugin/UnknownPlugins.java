// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

/** The treatment of plugins that a configuration enables but that are not registered. */
public enum UnknownPlugins {
    /** The configuration is rejected, as by kube-scheduler. */
    REFUSED,

    /**
     * The plugins are skipped, with a warning for each profile. If a profile then has no plugin that sorts the queue or
     * binds pods, kube-scheduler's default plugin does.
     */
    LEFT_OUT,

    /**
     * Like {@link #LEFT_OUT}, for a configuration that is only converted; {@link org.moorage.config.LoadedConfig#source} keeps
     * them.
     */
    KEPT
}
