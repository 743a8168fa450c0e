// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.DisruptionMode;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;

/** Decodes groups of pods. */
final class GroupDecoder {
    private static final String GANG = "gang";

    private final SharedValues shared;
    private final PodDecoder pods;

    GroupDecoder(SharedValues shared, PodDecoder pods) {
        this.shared = shared;
        this.pods = pods;
    }

    PodGroup podGroup(ObjectMeta metadata, FieldReader root) {
        FieldReader spec = root.object("spec");
        FieldReader policy = spec.object("schedulingPolicy");
        FieldReader status = root.object("status");
        return new PodGroup(
                metadata,
                parentName(spec),
                policy.has(GANG),
                policy.object(GANG).number("minCount"),
                topologyKeys(spec),
                spec.list("resourceClaims", pods::resourceClaim),
                disruptionMode(spec),
                spec.number("priority"),
                preemptionPolicy(spec),
                status.list(
                        "resourceClaimStatuses",
                        claim -> new PodStatus.ClaimStatus(claim.text("name"), claim.text("resourceClaimName"))),
                initiallyScheduled(status));
    }

    CompositePodGroup compositePodGroup(ObjectMeta metadata, FieldReader root) {
        FieldReader spec = root.object("spec");
        FieldReader policy = spec.object("schedulingPolicy");
        return new CompositePodGroup(
                metadata,
                parentName(spec),
                policy.has(GANG),
                policy.object(GANG).number("minGroupCount"),
                topologyKeys(spec),
                disruptionMode(spec),
                spec.number("priority"),
                preemptionPolicy(spec));
    }

    private String parentName(FieldReader spec) {
        return shared.text(spec.text("parentCompositePodGroupName"));
    }

    private List<String> topologyKeys(FieldReader spec) {
        return shared.value(spec.object("schedulingConstraints")
                .list("topology", constraint -> shared.text(constraint.text("key"))));
    }

    private static DisruptionMode disruptionMode(FieldReader spec) {
        return spec.object("disruptionMode").has("all") ? DisruptionMode.ALL : DisruptionMode.SINGLE;
    }

    private Optional<String> preemptionPolicy(FieldReader spec) {
        String policy = shared.text(spec.text("preemptionPolicy"));
        return policy.isEmpty() ? Optional.empty() : Optional.of(policy);
    }

    private Optional<PodCondition> initiallyScheduled(FieldReader status) {
        for (PodCondition condition : status.list("conditions", pods::condition)) {
            if (condition.type().equals(PodGroup.INITIALLY_SCHEDULED)) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }
}
