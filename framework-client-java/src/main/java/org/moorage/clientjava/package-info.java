// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the scheduler in a program that uses client-java, the Kubernetes client for Java, on its informers, client and
 * models.
 *
 * <p>Starting points: {@link org.moorage.clientjava.ClientJavaInformers},
 * {@link org.moorage.clientjava.ClientJavaModels}.
 */
@NullMarked
package org.moorage.clientjava;

import org.jspecify.annotations.NullMarked;
