// SPDX-License-Identifier: Apache-2.0
/**
 * The Kubernetes objects that scheduling reads: lean, immutable, without nulls, and with only the fields that affect
 * decisions.
 *
 * <p>An absent list is an empty list, and an absent string is the empty string. Where Kubernetes distinguishes absent
 * from empty, the accessor returns an {@link java.util.Optional}. The constructors of the records grow with Kubernetes:
 * programs should decode objects, or build them with the test kit.
 *
 * <p>Starting points: {@link org.moorage.api.model.Pod}, {@link org.moorage.api.model.Node},
 * {@link org.moorage.api.model.Quantity}.
 */
@NullMarked
package org.moorage.api.model;

import org.jspecify.annotations.NullMarked;
