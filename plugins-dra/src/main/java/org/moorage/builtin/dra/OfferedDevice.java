// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.model.Device;
import org.moorage.api.model.ResourceSlice;
import org.moorage.builtin.dra.cel.SelectorException;

/** A device of a slice, with what expressions were found to say about it. */
final class OfferedDevice {
    private static final int MOST_REMEMBERED = 64;

    private final ResourceSlice slice;
    private final Device device;
    private final DeviceId id;
    private final DeviceSelectors.Subject subject;
    private final DeviceSelectors.Subject unshared;
    private final Map<String, Boolean> answers = new ConcurrentHashMap<>(4);
    private final Map<String, Boolean> answersUnshared;

    OfferedDevice(ResourceSlice slice, Device device) {
        this.slice = slice;
        this.device = device;
        id = new DeviceId(slice.driver(), slice.pool().name(), device.name());
        subject = new DeviceSelectors.Subject(device, slice.driver(), device.isShared());
        unshared = device.isShared() ? new DeviceSelectors.Subject(device, slice.driver(), false) : subject;
        answersUnshared = device.isShared() ? new ConcurrentHashMap<>(4) : answers;
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
     * Whether it satisfies an expression.
     *
     * @throws SelectorException if the expression makes no sense, or does not for the device
     */
    boolean satisfies(String expression, DeviceSelectors selectors) throws SelectorException {
        return answer(expression, selectors, subject, answers);
    }

    /**
     * As {@link #satisfies}, but for the expression the device is one that only one claim can have.
     *
     * @throws SelectorException if the expression makes no sense, or does not for the device
     */
    boolean satisfiesUnshared(String expression, DeviceSelectors selectors) throws SelectorException {
        return answer(expression, selectors, unshared, answersUnshared);
    }

    private static boolean answer(
            String expression, DeviceSelectors selectors, DeviceSelectors.Subject subject, Map<String, Boolean> answers)
            throws SelectorException {
        Boolean known = answers.get(expression);
        if (known == null) {
            known = selectors.matches(expression, subject);
            if (answers.size() >= MOST_REMEMBERED) {
                answers.clear();
            }
            answers.put(expression, known);
        }
        return known;
    }
}
