// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

/** The treatment of pods while a plugin is suspended because it failed too often in a row. */
public enum FailurePolicy {
    /** Their attempts fail, as when the plugin fails. */
    FAIL,
    /** They are scheduled as if the profile did not have the plugin. */
    IGNORE
}
