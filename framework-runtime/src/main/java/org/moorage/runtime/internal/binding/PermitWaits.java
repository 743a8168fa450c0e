// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import java.util.Collection;
import java.util.Optional;
import org.moorage.api.plugin.WaitingPod;

/** The pods that wait for permits of plugins. */
public interface PermitWaits {
    /** Returns all waiting pods. */
    Collection<WaitingPod> all();

    /** Returns the waiting pod of that UID, or empty. */
    Optional<WaitingPod> find(String uid);
}
