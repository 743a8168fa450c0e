// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

/**
 * How far a group is in a placement that is tried.
 *
 * @param remaining how many pods, or child groups of a composite group, have not been tried yet
 * @param scheduled how many have a node, those from before included
 */
public record PlacementProgress(int remaining, int scheduled) {}
