// SPDX-License-Identifier: Apache-2.0
/**
 * The controllers of an in-memory cluster: they bind and provision volumes, lower storage capacities, and release the
 * claims of deleted pods.
 *
 * <p>Starting point: {@link org.moorage.runtime.controllers.ClusterControllers}.
 */
@NullMarked
package org.moorage.runtime.controllers;

import org.jspecify.annotations.NullMarked;
