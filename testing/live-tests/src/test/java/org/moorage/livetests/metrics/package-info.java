// SPDX-License-Identifier: Apache-2.0
/** Metrics beside those that were recorded of kube-scheduler. */
@NullMarked
package org.moorage.livetests.metrics;

import org.jspecify.annotations.NullMarked;
