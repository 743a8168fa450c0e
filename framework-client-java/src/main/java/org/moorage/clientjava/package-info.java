// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduler in a program that uses client-java, the Kubernetes client for Java: over its informers, its client and its models.
 *
 * <p>Starting points: {@link org.moorage.clientjava.ClientJavaInformers}, {@link org.moorage.clientjava.ClientJavaModels}.
 */
@NullMarked
package org.moorage.clientjava;

import org.jspecify.annotations.NullMarked;
