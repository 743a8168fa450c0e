// SPDX-License-Identifier: Apache-2.0
/** The scheduler in programs that use other libraries for the Kubernetes API. */
@NullMarked
package org.moorage.livetests.clients;

import org.jspecify.annotations.NullMarked;
