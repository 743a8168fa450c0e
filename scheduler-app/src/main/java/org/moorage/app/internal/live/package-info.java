// SPDX-License-Identifier: Apache-2.0
/**
 * Reads a cluster that runs: {@link org.moorage.app.internal.live.LiveObjects} all that decides where its pods go, as
 * texts, {@link org.moorage.app.internal.live.LiveOptions} by which connection.
 */
@NullMarked
package org.moorage.app.internal.live;

import org.jspecify.annotations.NullMarked;
