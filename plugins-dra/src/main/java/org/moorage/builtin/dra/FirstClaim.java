// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.cluster.ObjectLister;

/**
 * Compiles the selectors of the first observed claim in the background. Otherwise the first pod with a claim would wait
 * for the CEL library to load, which takes up to half a second.
 */
final class FirstClaim {
    private final Executor background;
    private final ObjectLister<DeviceClass> classes;
    private final DeviceSelectors selectors;
    private final AtomicBoolean isSeen = new AtomicBoolean();

    /** Creates it before the first claim; compiles on a background thread. */
    FirstClaim(Executor background, ObjectLister<DeviceClass> classes, DeviceSelectors selectors) {
        this.background = background;
        this.classes = classes;
        this.selectors = selectors;
    }

    /** Handles a change of a claim. */
    void changed(ObjectChange<ResourceClaim> change) {
        if (change.after().isPresent() && isSeen.compareAndSet(false, true)) {
            ResourceClaim claim = change.latest();
            background.execute(() -> selectors.compileAll(expressions(claim.requests())));
        }
    }

    private List<String> expressions(List<DeviceRequest> requests) {
        List<String> expressions = new ArrayList<>();
        for (DeviceRequest request : requests) {
            expressions.addAll(request.selectors());
            classes.get("", request.deviceClass()).ifPresent(found -> expressions.addAll(found.selectors()));
            expressions.addAll(expressions(request.alternatives()));
        }
        return expressions;
    }
}
