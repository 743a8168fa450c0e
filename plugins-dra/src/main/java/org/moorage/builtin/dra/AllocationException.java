// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.PluginException;

/** Thrown when a claim, class or slice prevents the allocation of devices, regardless of the node. */
final class AllocationException extends PluginException {
    private static final long serialVersionUID = 1L;

    AllocationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    AllocationException(String message) {
        this(message, null);
    }
}
