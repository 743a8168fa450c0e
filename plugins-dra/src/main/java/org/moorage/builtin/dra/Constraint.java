// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAttribute;
import org.moorage.api.model.DeviceConstraint;

/** What must hold between the devices of a claim. Follows them while they are tried. */
abstract class Constraint {
    private final List<String> requests;
    private final String attribute;

    private Constraint(List<String> requests, String attribute) {
        this.requests = requests;
        this.attribute = attribute;
    }

    /** The constraint as the claim has it; null if it is of a kind that is not known with these features. */
    static @Nullable Constraint of(DeviceConstraint constraint, DeviceFeatures features) {
        if (!constraint.matchAttribute().isEmpty()) {
            return new Same(constraint.requests(), constraint.matchAttribute());
        }
        return constraint.distinctAttribute().isEmpty() || features.usesStableAllocator()
                ? null
                : new Distinct(constraint.requests(), constraint.distinctAttribute());
    }

    /**
     * Adds a device, if that is possible.
     *
     * @param request the request, without the alternative
     * @param alternative the alternative; empty if there is none
     */
    final boolean add(String request, String alternative, OfferedDevice device) {
        if (!concerns(request, alternative)) {
            return true;
        }
        DeviceAttribute value = attribute(device);
        return value != null && add(request, value);
    }

    /** Takes back what was added last. */
    final void remove(String request, String alternative) {
        if (concerns(request, alternative)) {
            remove(request);
        }
    }

    abstract boolean add(String request, DeviceAttribute value);

    abstract void remove(String request);

    private boolean concerns(String request, String alternative) {
        return requests.isEmpty()
                || requests.contains(request)
                || !alternative.isEmpty() && requests.contains(request + "/" + alternative);
    }

    // Several values count as one of a type that is not known, whatever features are on.
    private static boolean isUnknown(DeviceAttribute value) {
        return value instanceof DeviceAttribute.Unknown || value instanceof DeviceAttribute.Several;
    }

    private @Nullable DeviceAttribute attribute(OfferedDevice offered) {
        Device device = offered.device();
        DeviceAttribute qualified = device.attributes().get(attribute);
        if (qualified != null) {
            return qualified;
        }
        int slash = attribute.indexOf('/');
        return slash >= 0 && attribute.substring(0, slash).equals(offered.id().driver())
                ? device.attributes().get(attribute.substring(slash + 1))
                : null;
    }

    /** All devices have the same value. */
    private static final class Same extends Constraint {
        private @Nullable DeviceAttribute common;
        private int devices;

        Same(List<String> requests, String attribute) {
            super(requests, attribute);
        }

        @Override
        boolean add(String request, DeviceAttribute value) {
            if (devices == 0) {
                common = value;
            } else if (isUnknown(value) || !value.equals(common)) {
                return false;
            }
            devices++;
            return true;
        }

        @Override
        void remove(String request) {
            devices--;
        }
    }

    /** No two requests have the same value. As upstream, of several devices of one request only the last counts. */
    private static final class Distinct extends Constraint {
        private final Map<String, DeviceAttribute> byRequest = new HashMap<>();
        private int devices;

        Distinct(List<String> requests, String attribute) {
            super(requests, attribute);
        }

        @Override
        boolean add(String request, DeviceAttribute value) {
            boolean unknown = isUnknown(value) && !byRequest.isEmpty();
            if (devices > 0 && (unknown || byRequest.containsValue(value))) {
                return false;
            }
            byRequest.put(request, value);
            devices++;
            return true;
        }

        @Override
        void remove(String request) {
            byRequest.remove(request);
            devices--;
        }
    }
}
