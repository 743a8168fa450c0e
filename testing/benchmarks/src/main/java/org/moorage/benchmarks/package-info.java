// SPDX-License-Identifier: Apache-2.0
/**
 * How fast the scheduler decides, beside kube-scheduler and scheduler-library on the same work.
 *
 * <p>Starting points: {@link org.moorage.benchmarks.AlgorithmBenchmark}, {@link org.moorage.benchmarks.WhatIfBenchmark}, {@link
 * org.moorage.benchmarks.Workload}.
 */
@NullMarked
package org.moorage.benchmarks;

import org.jspecify.annotations.NullMarked;
