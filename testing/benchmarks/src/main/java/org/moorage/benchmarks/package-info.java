// SPDX-License-Identifier: Apache-2.0
/**
 * Benchmarks of the scheduler, with the same workloads as for kube-scheduler and scheduler-library.
 *
 * <p>Starting points: {@link org.moorage.benchmarks.AlgorithmBenchmark}, {@link
 * org.moorage.benchmarks.WhatIfBenchmark}, {@link org.moorage.benchmarks.Workload}.
 */
@NullMarked
package org.moorage.benchmarks;

import org.jspecify.annotations.NullMarked;
