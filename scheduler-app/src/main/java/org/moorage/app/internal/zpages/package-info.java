// SPDX-License-Identifier: Apache-2.0
/**
 * The pages {@code /statusz} and {@code /flagz} in the formats of kube-scheduler's.
 *
 * <p>Starting points: {@link org.moorage.app.internal.zpages.ZPage},
 * {@link org.moorage.app.internal.zpages.Negotiation}.
 */
@NullMarked
package org.moorage.app.internal.zpages;

import org.jspecify.annotations.NullMarked;
