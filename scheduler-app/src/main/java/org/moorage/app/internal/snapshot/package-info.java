// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code moorage snapshot}: {@link org.moorage.app.internal.snapshot.SnapshotCommand} saves a live cluster
 * to a file.
 */
@NullMarked
package org.moorage.app.internal.snapshot;

import org.jspecify.annotations.NullMarked;
