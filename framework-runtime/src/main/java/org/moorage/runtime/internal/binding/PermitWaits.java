// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import java.util.Collection;
import java.util.Optional;
import org.moorage.api.plugin.WaitingPod;

/** The pods that wait for permits of plugins. */
public interface PermitWaits {
    Collection<WaitingPod> all();

    Optional<WaitingPod> find(String uid);
}
