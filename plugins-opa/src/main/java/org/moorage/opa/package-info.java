// SPDX-License-Identifier: Apache-2.0
/**
 * A plugin that lets policies in Rego decide which nodes pods may run on, and with which scores, as opa-kube-scheduler
 * did.
 *
 * <p>Starting points: {@link org.moorage.opa.OpaPolicy}, the plugin; {@link org.moorage.opa.OpaServer} and {@link
 * org.moorage.opa.WasmPolicies}, the policy engines; {@link org.moorage.opa.ClusterData}, the data that policies see.
 */
@NullMarked
package org.moorage.opa;

import org.jspecify.annotations.NullMarked;
