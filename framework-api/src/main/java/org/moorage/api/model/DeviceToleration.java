// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A request's leave to be given devices with certain taints.
 *
 * @param key the taint's key; empty matches every key
 * @param operator {@code Exists}, or {@code Equal} or empty to compare the values
 * @param value the taint's value, for {@code Equal}
 * @param effect the taint's effect; empty matches every effect
 * @param json the toleration as the cluster has it, to be written into allocations
 */
public record DeviceToleration(String key, String operator, String value, String effect, String json) {
    /** Whether it matches this taint. An operator that is not known matches nothing. */
    public boolean tolerates(DeviceTaint taint) {
        return new Toleration(key, operator, value, effect)
                .tolerates(new Taint(taint.key(), taint.value(), taint.effect()), Tolerance.BY_EQUALITY);
    }
}
