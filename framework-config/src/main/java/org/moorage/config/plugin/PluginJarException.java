// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

/** Thrown when plugins cannot be loaded from jars. The message names each faulty jar and its problem. */
public final class PluginJarException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates a failure to load. */
    public PluginJarException(String message) {
        super(message);
    }

    /** Creates a failure to load with its cause. */
    public PluginJarException(String message, Throwable cause) {
        super(message, cause);
    }
}
