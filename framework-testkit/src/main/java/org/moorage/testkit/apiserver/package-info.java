// SPDX-License-Identifier: Apache-2.0
/**
 * An API server in the process of a test: it keeps objects, serves lists and watches of them, and fails on request.
 *
 * <p>Starting point: {@link org.moorage.testkit.apiserver.FakeApiServer}.
 */
@NullMarked
package org.moorage.testkit.apiserver;

import org.jspecify.annotations.NullMarked;
