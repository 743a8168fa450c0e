// SPDX-License-Identifier: Apache-2.0
/**
 * Kubernetes' feature gates, and the version that determines them.
 *
 * <p>Starting point: {@link org.moorage.api.feature.FeatureGates}.
 */
@NullMarked
package org.moorage.api.feature;

import org.jspecify.annotations.NullMarked;
