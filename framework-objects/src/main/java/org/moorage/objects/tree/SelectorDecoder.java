// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.NodeSelector;

/** Decodes label selectors and node selectors. */
final class SelectorDecoder {
    private final SharedValues shared;

    SelectorDecoder(SharedValues shared) {
        this.shared = shared;
    }

    LabelSelector labelSelector(FieldReader selector) {
        return new LabelSelector(
                shared.textMap(selector, "matchLabels"), selector.list("matchExpressions", this::labelRequirement));
    }

    private LabelSelector.Requirement labelRequirement(FieldReader requirement) {
        return new LabelSelector.Requirement(
                shared.text(requirement.text("key")),
                shared.text(requirement.text("operator")),
                requirement.texts("values"));
    }

    NodeSelector nodeSelector(FieldReader selector) {
        return new NodeSelector(selector.list("nodeSelectorTerms", this::nodeSelectorTerm));
    }

    NodeSelector.Term nodeSelectorTerm(FieldReader term) {
        return new NodeSelector.Term(
                term.list("matchExpressions", this::nodeRequirement), term.list("matchFields", this::nodeRequirement));
    }

    private NodeSelector.Requirement nodeRequirement(FieldReader requirement) {
        return new NodeSelector.Requirement(
                shared.text(requirement.text("key")),
                shared.text(requirement.text("operator")),
                requirement.texts("values"));
    }
}
