// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import org.moorage.api.model.DeviceAllocation;

/** Names a device in the whole cluster. */
record DeviceId(String driver, String pool, String device) {
    static DeviceId of(DeviceAllocation.Result result) {
        return new DeviceId(result.driver(), result.pool(), result.device());
    }

    @Override
    public String toString() {
        return driver + "/" + pool + "/" + device;
    }
}
