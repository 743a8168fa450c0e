// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code moorage config}: {@link org.moorage.app.internal.config.ConfigCommand} validates, shows and
 * converts configurations.
 */
@NullMarked
package org.moorage.app.internal.config;

import org.jspecify.annotations.NullMarked;
