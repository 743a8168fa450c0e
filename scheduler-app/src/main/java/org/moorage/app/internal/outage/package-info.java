// SPDX-License-Identifier: Apache-2.0
/**
 * The question {@code moorage outage}: {@link org.moorage.app.internal.outage.OutageCommand} asks it,
 * {@link org.moorage.app.internal.outage.OutageReport} has the answer.
 */
@NullMarked
package org.moorage.app.internal.outage;

import org.jspecify.annotations.NullMarked;
