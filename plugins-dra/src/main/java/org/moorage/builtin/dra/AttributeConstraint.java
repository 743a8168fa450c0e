// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAttribute;
import org.moorage.api.model.DeviceConstraint;

/** A constraint on an attribute of the devices of a claim. Follows a search: devices are added, and removed again. */
abstract class AttributeConstraint {
    private final List<String> requests;
    private final String attribute;

    private AttributeConstraint(List<String> requests, String attribute) {
        this.requests = requests;
        this.attribute = attribute;
    }

    /** The constraint of a claim; empty if it is of a kind that is not known with these features. */
    static Optional<AttributeConstraint> of(DeviceConstraint constraint, DeviceFeatures features) {
        if (!constraint.matchAttribute().isEmpty()) {
            return Optional.of(new MatchAttribute(constraint.requests(), constraint.matchAttribute()));
        }
        return constraint.distinctAttribute().isEmpty() || features.usesStableAllocator()
                ? Optional.empty()
                : Optional.of(new DistinctAttribute(constraint.requests(), constraint.distinctAttribute()));
    }

    /**
     * Adds a device.
     *
     * @param request the name of the request, without the subrequest
     * @param subrequest the name of the subrequest; empty if there is none
     * @return whether the constraint holds with the device; otherwise it is not added
     */
    final boolean add(String request, String subrequest, DeviceWithId device) {
        if (!isAbout(request, subrequest)) {
            return true;
        }
        DeviceAttribute value = lookup(device);
        return value != null && add(request, value);
    }

    /** Removes the device that was added last for the request. */
    final void remove(String request, String subrequest) {
        if (isAbout(request, subrequest)) {
            remove(request);
        }
    }

    abstract boolean add(String request, DeviceAttribute value);

    abstract void remove(String request);

    private boolean isAbout(String request, String subrequest) {
        return requests.isEmpty()
                || requests.contains(request)
                || !subrequest.isEmpty() && requests.contains(request + "/" + subrequest);
    }

    // kube-scheduler treats a list of values here as a value of an unknown type, whatever features are enabled.
    private static boolean isUnknown(DeviceAttribute value) {
        return value instanceof DeviceAttribute.Unknown || value instanceof DeviceAttribute.Several;
    }

    // The name may be qualified by the driver, whether the device names it so or not.
    private @Nullable DeviceAttribute lookup(DeviceWithId deviceWithId) {
        Device device = deviceWithId.device();
        DeviceAttribute qualified = device.attributes().get(attribute);
        if (qualified != null) {
            return qualified;
        }
        int slash = attribute.indexOf('/');
        return slash >= 0
                        && attribute
                                .substring(0, slash)
                                .equals(deviceWithId.id().driver())
                ? device.attributes().get(attribute.substring(slash + 1))
                : null;
    }

    /** All devices have the same value. */
    private static final class MatchAttribute extends AttributeConstraint {
        private @Nullable DeviceAttribute common;
        private int numDevices;

        MatchAttribute(List<String> requests, String attribute) {
            super(requests, attribute);
        }

        @Override
        boolean add(String request, DeviceAttribute value) {
            if (numDevices == 0) {
                common = value;
            } else if (isUnknown(value) || !value.equals(common)) {
                return false;
            }
            numDevices++;
            return true;
        }

        @Override
        void remove(String request) {
            numDevices--;
        }
    }

    /** No two requests have the same value. As in kube-scheduler, only the last device of a request counts. */
    private static final class DistinctAttribute extends AttributeConstraint {
        private final Map<String, DeviceAttribute> valueByRequest = new HashMap<>();
        private int numDevices;

        DistinctAttribute(List<String> requests, String attribute) {
            super(requests, attribute);
        }

        @Override
        boolean add(String request, DeviceAttribute value) {
            boolean unknown = isUnknown(value) && !valueByRequest.isEmpty();
            if (numDevices > 0 && (unknown || valueByRequest.containsValue(value))) {
                return false;
            }
            valueByRequest.put(request, value);
            numDevices++;
            return true;
        }

        @Override
        void remove(String request) {
            valueByRequest.remove(request);
            numDevices--;
        }
    }
}
