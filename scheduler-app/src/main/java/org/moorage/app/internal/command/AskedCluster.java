// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.time.Instant;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.whatif.Rescheduling;

/** A cluster that questions are asked about: its objects, and the scheduler that answers. Several threads may ask at once. */
final class AskedCluster implements AutoCloseable {
    private final ClusterDump dump;
    private final LoadedConfig config;
    private final PluginRegistry registry;
    private final Terminal terminal;
    private final ClusterSource objects;
    private final Instant now;
    private final WhatIf whatIf;

    /**
     * A cluster.
     *
     * @throws org.moorage.config.ConfigException if the profiles cannot be built from the plugins
     */
    AskedCluster(ClusterDump dump, LoadedConfig config, PluginRegistry registry, Terminal terminal) {
        this.dump = dump;
        this.config = config;
        this.registry = registry;
        this.terminal = terminal;
        objects = ClusterSource.of(dump.objects());
        now = terminal.clock().instant();
        whatIf = Scheduler.whatIf(dump.objects(), config, registry);
    }

    /** The objects as they were read, with the pods that controllers would create. */
    ClusterDump dump() {
        return dump;
    }

    /** A transaction in which pods can be scheduled; the transaction is the caller's. */
    Rescheduling rescheduling(Transaction cluster) {
        return new Rescheduling(cluster, objects, now);
    }

    /** The scheduler's configuration. */
    LoadedConfig config() {
        return config;
    }

    /** The plugins that there are. */
    PluginRegistry registry() {
        return registry;
    }

    /** Where progress is shown. */
    Terminal terminal() {
        return terminal;
    }

    /** The cluster as it is: pods without a node wait. */
    WhatIf whatIf() {
        return whatIf;
    }

    @Override
    public void close() {
        whatIf.close();
    }
}
