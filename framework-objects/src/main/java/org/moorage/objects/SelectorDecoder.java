// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.NodeSelector;

/** Makes the selectors of labels and nodes that objects of several kinds have. */
final class SelectorDecoder {
    private final SharedValues shared;

    SelectorDecoder(SharedValues shared) {
        this.shared = shared;
    }

    LabelSelector labelSelector(Located selector) {
        return new LabelSelector(
                shared.textMap(selector, "matchLabels"), selector.list("matchExpressions", this::labelRequirement));
    }

    private LabelSelector.Requirement labelRequirement(Located requirement) {
        return new LabelSelector.Requirement(
                shared.text(requirement.text("key")),
                shared.text(requirement.text("operator")),
                requirement.texts("values"));
    }

    NodeSelector nodeSelector(Located selector) {
        return new NodeSelector(selector.list("nodeSelectorTerms", this::nodeSelectorTerm));
    }

    NodeSelector.Term nodeSelectorTerm(Located term) {
        return new NodeSelector.Term(
                term.list("matchExpressions", this::nodeRequirement), term.list("matchFields", this::nodeRequirement));
    }

    private NodeSelector.Requirement nodeRequirement(Located requirement) {
        return new NodeSelector.Requirement(
                shared.text(requirement.text("key")),
                shared.text(requirement.text("operator")),
                requirement.texts("values"));
    }
}
