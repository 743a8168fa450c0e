// SPDX-License-Identifier: Apache-2.0
/**
 * What every live test is played on: a real control plane, access to its API, and programs next to the test.
 *
 * <p>Starting points: {@link org.moorage.livetests.scene.Scene}, {@link org.moorage.livetests.scene.SchedulerProcess}.
 */
package org.moorage.livetests.scene;
