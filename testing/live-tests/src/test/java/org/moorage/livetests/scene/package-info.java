// SPDX-License-Identifier: Apache-2.0
/**
 * The environment of live tests: a real control plane, access to its API, and the programs that run alongside the test.
 *
 * <p>Starting points: {@link org.moorage.livetests.scene.Scene}, {@link org.moorage.livetests.scene.SchedulerProcess}.
 */
package org.moorage.livetests.scene;
