// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAttribute;
import org.moorage.api.model.DeviceConstraint;
import org.moorage.builtin.dra.cel.SelectorException;

/** A constraint on an attribute of the devices of a claim. Follows a search: devices are added, and removed again. */
abstract class AttributeConstraint {
    private final List<String> requests;
    private final String attribute;
    private final DeviceFeatures features;
    private final DeviceSelectors selectors;

    private AttributeConstraint(
            List<String> requests, String attribute, DeviceFeatures features, DeviceSelectors selectors) {
        this.requests = requests;
        this.attribute = attribute;
        this.features = features;
        this.selectors = selectors;
    }

    /**
     * Returns the constraint of a claim; empty if it is of a kind that is not known with these features.
     *
     * @param selectors evaluates the expressions of derived attributes
     */
    static Optional<AttributeConstraint> of(
            DeviceConstraint constraint, DeviceFeatures features, DeviceSelectors selectors) {
        if (!constraint.matchAttribute().isEmpty()) {
            return Optional.of(
                    new MatchAttribute(constraint.requests(), constraint.matchAttribute(), features, selectors));
        }
        return constraint.distinctAttribute().isEmpty() || features.usesStableAllocator()
                ? Optional.empty()
                : Optional.of(new DistinctAttribute(
                        constraint.requests(), constraint.distinctAttribute(), features, selectors));
    }

    /**
     * Adds a device.
     *
     * @return whether the constraint holds with the device; otherwise it is not added
     * @throws AllocationException if the request derives the attribute, and the expression fails
     */
    final boolean add(RequestData request, DeviceWithId device) {
        if (!isAbout(request)) {
            return true;
        }
        DeviceAttribute value = lookup(request, device);
        return value != null && add(values(value));
    }

    /** Removes the device that was added last for the request. */
    final void remove(RequestData request) {
        if (isAbout(request)) {
            remove();
        }
    }

    /** Adds a device with these values of the attribute; with none if they are of an unknown type. */
    abstract boolean add(Set<DeviceAttribute> values);

    abstract void remove();

    /** Returns whether an attribute may have several values. */
    final boolean comparesLists() {
        return features.listTypeAttributes();
    }

    private boolean isAbout(RequestData request) {
        return requests.isEmpty()
                || requests.contains(request.baseRequestName())
                || request.isSubrequest() && requests.contains(request.requestName());
    }

    private Set<DeviceAttribute> values(DeviceAttribute value) {
        if (value instanceof DeviceAttribute.Several several) {
            return comparesLists() ? Set.copyOf(several.values()) : Set.of();
        }
        return value instanceof DeviceAttribute.Unknown ? Set.of() : Set.of(value);
    }

    private @Nullable DeviceAttribute lookup(RequestData request, DeviceWithId device) {
        String expression = request.request().derivedAttributes().get(attribute);
        if (expression == null) {
            return lookup(device);
        }
        try {
            return device.derivedAttribute(attribute, expression, selectors);
        } catch (SelectorException failed) {
            throw new AllocationException(String.valueOf(failed.getMessage()), failed);
        }
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

    /** Requires that all devices have a value in common. */
    private static final class MatchAttribute extends AttributeConstraint {
        // The values common to the devices so far, after each device.
        private final List<Set<DeviceAttribute>> common = new ArrayList<>();

        MatchAttribute(List<String> requests, String attribute, DeviceFeatures features, DeviceSelectors selectors) {
            super(requests, attribute, features, selectors);
        }

        @Override
        boolean add(Set<DeviceAttribute> values) {
            if (common.isEmpty()) {
                // Without lists, kube-scheduler looks at the type of a value when it compares it with another.
                if (values.isEmpty() && comparesLists()) {
                    return false;
                }
                common.add(values);
                return true;
            }
            Set<DeviceAttribute> narrowed = Set.copyOf(Sets.intersection(common.get(common.size() - 1), values));
            return !narrowed.isEmpty() && common.add(narrowed);
        }

        @Override
        void remove() {
            common.remove(common.size() - 1);
        }
    }

    /** Requires that no two devices have a value in common. */
    private static final class DistinctAttribute extends AttributeConstraint {
        private final List<Set<DeviceAttribute>> taken = new ArrayList<>();

        DistinctAttribute(List<String> requests, String attribute, DeviceFeatures features, DeviceSelectors selectors) {
            super(requests, attribute, features, selectors);
        }

        @Override
        boolean add(Set<DeviceAttribute> values) {
            if (values.isEmpty() && (comparesLists() || !taken.isEmpty())) {
                return false;
            }
            for (Set<DeviceAttribute> others : taken) {
                if (!Collections.disjoint(others, values)) {
                    return false;
                }
            }
            return taken.add(values);
        }

        @Override
        void remove() {
            taken.remove(taken.size() - 1);
        }
    }
}
