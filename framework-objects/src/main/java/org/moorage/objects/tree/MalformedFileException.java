// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import org.jspecify.annotations.Nullable;
import org.moorage.objects.ClusterFileException;

/** Thrown when a file is neither YAML nor JSON. */
final class MalformedFileException extends ClusterFileException {
    private static final long serialVersionUID = 1L;

    private final boolean isTemplate;

    /**
     * Creates the exception.
     *
     * @param isTemplate whether it is known to be a template of such a file
     */
    MalformedFileException(String message, boolean isTemplate, @Nullable Throwable cause) {
        super(message, cause);
        this.isTemplate = isTemplate;
    }

    static boolean isTemplate(ClusterFileException failure) {
        return failure instanceof MalformedFileException malformed && malformed.isTemplate;
    }
}
