// SPDX-License-Identifier: Apache-2.0
/** Clusters in memory: what is simulated, explained and proposed. */
package org.moorage.schedulertests.simulation;
