// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The equivalence classes of the pods that were scheduled last: pods whose signatures are equal for all plugins of their profile that
 * sign. Used by one cycle at a time.
 */
final class EquivalenceCache {
    // Each may hold an answer of each plugin for each node.
    private static final int MOST_CLASSES = 8;
    private static final int MOST_CANDIDATES = 8;

    // The one that was used last stands first.
    private final List<EquivalenceClass> classes = new ArrayList<>(MOST_CLASSES + 1);
    // Signatures that were seen once: a pod without its like needs no class.
    private final List<Signature> candidates = new ArrayList<>(MOST_CANDIDATES + 1);

    /**
     * What the answers for a pod depend on.
     *
     * @param profile the pod's profile
     * @param parts what each of the profile's plugins that sign has answered, in their order
     */
    record Signature(Profile profile, List<Optional<?>> parts) {}

    /** The class of a pod with that signature; null if no pod before had it, or no plugin signs the pod. */
    @Nullable
    EquivalenceClass find(Signature signature) {
        for (int i = 0; i < classes.size(); i++) {
            EquivalenceClass known = classes.get(i);
            if (known.signature().equals(signature)) {
                if (i > 0) {
                    classes.remove(i);
                    classes.add(0, known);
                }
                return known;
            }
        }
        if (signature.parts.stream().allMatch(Optional::isEmpty)) {
            return null;
        }
        if (!candidates.remove(signature)) {
            candidates.add(0, signature);
            if (candidates.size() > MOST_CANDIDATES) {
                candidates.remove(MOST_CANDIDATES);
            }
            return null;
        }
        if (classes.size() == MOST_CLASSES) {
            classes.remove(MOST_CLASSES - 1);
        }
        EquivalenceClass made = new EquivalenceClass(signature);
        classes.add(0, made);
        return made;
    }
}
