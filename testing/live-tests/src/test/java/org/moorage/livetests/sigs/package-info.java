// SPDX-License-Identifier: Apache-2.0
/**
 * The plugins of scheduler-plugins on a real control plane with their custom resources.
 *
 * <p>Starting points: {@link org.moorage.livetests.sigs.PluginsScene},
 * {@link org.moorage.livetests.sigs.LiveSchedulerPluginsTest}.
 */
package org.moorage.livetests.sigs;
