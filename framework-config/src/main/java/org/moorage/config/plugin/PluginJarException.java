// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

/** Plugins cannot be loaded from jars. The message names each jar that is at fault, and what is wrong with it. */
public final class PluginJarException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure to load. */
    public PluginJarException(String message) {
        super(message);
    }

    /** A failure to load, and what it is due to. */
    public PluginJarException(String message, Throwable cause) {
        super(message, cause);
    }
}
