// SPDX-License-Identifier: Apache-2.0
/**
 * Options that commands share: the configuration ({@link org.moorage.app.internal.options.ConfigOptions}), plugins
 * ({@link org.moorage.app.internal.options.PluginOptions}) and workloads
 * ({@link org.moorage.app.internal.options.WorkloadOptions}).
 */
@NullMarked
package org.moorage.app.internal.options;

import org.jspecify.annotations.NullMarked;
