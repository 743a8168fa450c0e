// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.function.Predicate;
import org.moorage.api.model.Pod;

/**
 * A predicate for {@link Snapshot#count} that depends only on what the pods of a template have in common: the
 * namespace, the labels, the pod affinity and pod anti-affinity, and whether the pod is being deleted. A snapshot may
 * evaluate it once for all pods that have these in common.
 */
public interface TemplatePredicate extends Predicate<Pod> {}
