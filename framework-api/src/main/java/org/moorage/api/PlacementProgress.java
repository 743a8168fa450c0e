// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import org.moorage.api.annotation.Experimental;

/**
 * The progress of scheduling a group in the placement that is tried.
 *
 * @param remaining the number of pods, or child groups of a composite group, that have not been tried yet
 * @param scheduled the number of pods, or child groups, that have a node, including those scheduled earlier
 */
@Experimental
public record PlacementProgress(int remaining, int scheduled) {}
