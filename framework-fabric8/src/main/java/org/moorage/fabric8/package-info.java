// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the scheduler in a program that uses fabric8's Kubernetes client, such as an operator made with Java Operator
 * SDK, on its informers, client and models.
 *
 * <p>Starting points: {@link org.moorage.fabric8.Fabric8Informers}, {@link org.moorage.fabric8.Fabric8Models}.
 */
@NullMarked
package org.moorage.fabric8;

import org.jspecify.annotations.NullMarked;
