// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.model.Device;
import org.moorage.api.model.ResourceSlice;
import org.moorage.builtin.dra.cel.SelectorException;

/** A device of a slice with its id. Remembers which selectors it satisfies. Safe for use by several threads. */
final class DeviceWithId {
    private static final int MAX_ANSWERS = 64;

    private final ResourceSlice slice;
    private final Device device;
    private final DeviceId id;
    private final DeviceSelectors.Subject subject;
    private final DeviceSelectors.Subject subjectWithoutSharing;
    private final Map<String, Boolean> answers = new ConcurrentHashMap<>(4);
    private final Map<String, Boolean> answersWithoutSharing;

    DeviceWithId(ResourceSlice slice, Device device) {
        this.slice = slice;
        this.device = device;
        id = new DeviceId(slice.driver(), slice.pool().name(), device.name());
        subject = new DeviceSelectors.Subject(device, slice.driver(), device.allowsMultipleAllocations());
        subjectWithoutSharing = device.allowsMultipleAllocations()
                ? new DeviceSelectors.Subject(device, slice.driver(), false)
                : subject;
        answersWithoutSharing = device.allowsMultipleAllocations() ? new ConcurrentHashMap<>(4) : answers;
    }

    ResourceSlice slice() {
        return slice;
    }

    Device device() {
        return device;
    }

    DeviceId id() {
        return id;
    }

    /**
     * Whether the device satisfies a selector.
     *
     * @throws SelectorException if the selector cannot be compiled, or fails for the device
     */
    boolean satisfies(String expression, DeviceSelectors selectors) throws SelectorException {
        return answer(expression, selectors, subject, answers);
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
            if (answers.size() >= MAX_ANSWERS) {
                answers.clear();
            }
            answers.put(expression, known);
        }
        return known;
    }
}
