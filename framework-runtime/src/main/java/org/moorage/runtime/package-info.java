// SPDX-License-Identifier: Apache-2.0
/**
 * Runs scheduling plugins: a scheduler as a library.
 *
 * <p>Starting points: {@link org.moorage.runtime.Scheduler}, {@link org.moorage.runtime.cluster.Cluster}, {@link
 * org.moorage.config.plugin.PluginRegistry}.
 */
@NullMarked
package org.moorage.runtime;

import org.jspecify.annotations.NullMarked;
