// SPDX-License-Identifier: Apache-2.0
/**
 * A plugin that has policies in Rego decide where pods may go, and how well: what opa-kube-scheduler did.
 *
 * <p>Starting points: {@link org.moorage.opa.OpaPolicy}, which asks; {@link org.moorage.opa.OpaServer} and {@link
 * org.moorage.opa.WasmPolicies}, who answer; {@link org.moorage.opa.ClusterData}, what policies see of the
 * cluster.
 */
@NullMarked
package org.moorage.opa;

import org.jspecify.annotations.NullMarked;
