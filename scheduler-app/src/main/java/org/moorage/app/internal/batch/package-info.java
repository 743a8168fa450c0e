// SPDX-License-Identifier: Apache-2.0
/**
 * Many questions about one cluster: {@link org.moorage.app.internal.batch.BatchRunCommand} answers them,
 * {@link org.moorage.app.internal.batch.BatchMergeCommand} merges the answers of several runs.
 */
@NullMarked
package org.moorage.app.internal.batch;

import org.jspecify.annotations.NullMarked;
