// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.TreeDecoder;

/** An object that is being created, with the changes that admission has made so far. */
record NewObject(ObjectNode tree) {
    Fields fields() {
        return Fields.of(tree);
    }

    Fields spec() {
        return fields().struct("spec");
    }

    Fields metadata() {
        return fields().struct("metadata");
    }

    String namespace() {
        return ObjectKey.of(tree).namespace();
    }

    /** Returns the exception for an object that an admission plugin refuses. */
    ObjectRefusedException forbidden(String why) {
        return new ObjectRefusedException(
                qualified(TreeDecoder.kindOf(tree).plural()) + " \"" + name() + "\" is forbidden: " + why);
    }

    /** Returns the exception for an object that an admission plugin refuses for several reasons. */
    ObjectRefusedException forbidden(Collection<String> reasons) {
        return forbidden(aggregate(reasons));
    }

    /** Returns the exception for an object with contradictory values. */
    ObjectRefusedException invalid(Collection<String> errors) {
        return new ObjectRefusedException(
                qualified(ObjectKey.of(tree).kind()) + " \"" + name() + "\" is invalid: " + aggregate(errors));
    }

    private String qualified(String word) {
        String group = ObjectKey.of(tree).group();
        return group.isEmpty() ? word : word + "." + group;
    }

    // An object without a name is named by its generateName prefix.
    private String name() {
        String name = ObjectKey.of(tree).name();
        String prefix = tree.path("metadata").path("generateName").asText("");
        return !name.isEmpty() ? name : prefix.isEmpty() ? "Unknown" : prefix;
    }

    private static String aggregate(Collection<String> errors) {
        Set<String> distinct = new LinkedHashSet<>(errors);
        String joined = String.join(", ", distinct);
        return distinct.size() == 1 ? joined : "[" + joined + "]";
    }
}
