// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import org.moorage.api.model.DeviceAllocation;

/** Names a device in the whole cluster. */
record DeviceId(String driver, String pool, String device) {
    static DeviceId of(DeviceAllocation.Result result) {
        return new DeviceId(result.driver(), result.pool(), result.device());
    }

    // The methods that a record has of itself are several times slower without the JVM's C2 compiler.

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof DeviceId that
                        && device.equals(that.device)
                        && pool.equals(that.pool)
                        && driver.equals(that.driver);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * driver.hashCode() + pool.hashCode()) + device.hashCode();
    }

    @Override
    public String toString() {
        return driver + "/" + pool + "/" + device;
    }
}
