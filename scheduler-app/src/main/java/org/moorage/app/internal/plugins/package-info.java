// SPDX-License-Identifier: Apache-2.0
/** The command {@code moorage plugins}: {@link org.moorage.app.internal.plugins.PluginsCommand} lists plugins. */
@NullMarked
package org.moorage.app.internal.plugins;

import org.jspecify.annotations.NullMarked;
