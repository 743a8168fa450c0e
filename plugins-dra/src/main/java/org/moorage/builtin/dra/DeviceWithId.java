// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAttribute;
import org.moorage.api.model.ResourceSlice;
import org.moorage.builtin.dra.cel.SelectorException;

/** A device of a slice with its id. Remembers which selectors it satisfies. Safe for use by several threads. */
final class DeviceWithId {
    private static final int MAX_ANSWERS = 64;

    private final ResourceSlice slice;
    private final Device device;
    private final NodeReach reach;
    private final DeviceId id;
    private final DeviceSelectors.Subject subject;
    private final DeviceSelectors.Subject subjectWithoutSharing;
    private final Map<String, Boolean> answers = new ConcurrentHashMap<>(4);
    private final Map<String, Boolean> answersWithoutSharing;
    private final Map<String, DeviceAttribute> derivedAttributes = new ConcurrentHashMap<>(4);

    DeviceWithId(ResourceSlice slice, Device device, NodeReach reach) {
        this.slice = slice;
        this.device = device;
        this.reach = reach;
        id = new DeviceId(slice.driver(), slice.pool().name(), device.name());
        subject = new DeviceSelectors.Subject(id, device, device.allowsMultipleAllocations());
        subjectWithoutSharing =
                device.allowsMultipleAllocations() ? new DeviceSelectors.Subject(id, device, false) : subject;
        answersWithoutSharing = device.allowsMultipleAllocations() ? new ConcurrentHashMap<>(4) : answers;
    }

    ResourceSlice slice() {
        return slice;
    }

    Device device() {
        return device;
    }

    /** Returns the nodes on which the device is available. */
    NodeReach reach() {
        return reach;
    }

    DeviceId id() {
        return id;
    }

    /**
     * Returns whether the device satisfies a selector.
     *
     * @throws SelectorException if the selector cannot be compiled, or fails for the device
     */
    boolean satisfies(String expression, DeviceSelectors selectors) throws SelectorException {
        return answer(expression, selectors, subject, answers);
    }

    /**
     * Returns an attribute that an expression derives.
     *
     * @throws SelectorException if the expression cannot be compiled, or fails for the device
     */
    DeviceAttribute derivedAttribute(String name, String expression, DeviceSelectors selectors)
            throws SelectorException {
        DeviceAttribute known = derivedAttributes.get(expression);
        if (known == null) {
            known = selectors.attribute(name, expression, subject);
            keep(expression, known, derivedAttributes);
        }
        return known;
    }

    /**
     * As {@link #satisfies}, but {@code device.allowMultipleAllocations} is false for the selector.
     *
     * @throws SelectorException if the selector cannot be compiled, or fails for the device
     */
    boolean satisfiesWithoutSharing(String expression, DeviceSelectors selectors) throws SelectorException {
        return answer(expression, selectors, subjectWithoutSharing, answersWithoutSharing);
    }

    private static boolean answer(
            String expression, DeviceSelectors selectors, DeviceSelectors.Subject subject, Map<String, Boolean> answers)
            throws SelectorException {
        Boolean known = answers.get(expression);
        if (known == null) {
            known = selectors.matches(expression, subject);
            keep(expression, known, answers);
        }
        return known;
    }

    private static <T> void keep(String expression, T answer, Map<String, T> answers) {
        if (answers.size() >= MAX_ANSWERS) {
            answers.clear();
        }
        answers.put(expression, answer);
    }
}
