// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.util.List;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.config.ConfigException;
import org.moorage.config.plugin.PluginJarException;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.simulation.StalledException;

/** The exceptions that refuse an input, or report a cluster that does not answer: their messages are for the user. */
public final class UserErrors {
    private static final List<Class<? extends Exception>> TYPES = List.of(
            CommandException.class,
            ConfigException.class,
            ClusterFileException.class,
            ObjectDecodeException.class,
            PluginJarException.class,
            StalledException.class,
            ClusterException.class);

    private UserErrors() {}

    /** Returns whether the message of an exception is for the user. */
    public static boolean contain(Exception thrown) {
        return thrown.getMessage() != null && TYPES.stream().anyMatch(type -> type.isInstance(thrown));
    }
}
