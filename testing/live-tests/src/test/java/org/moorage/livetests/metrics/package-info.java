// SPDX-License-Identifier: Apache-2.0
/** Comparison of metrics with recorded metrics of kube-scheduler. */
@NullMarked
package org.moorage.livetests.metrics;

import org.jspecify.annotations.NullMarked;
