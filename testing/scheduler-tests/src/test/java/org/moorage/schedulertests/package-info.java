// SPDX-License-Identifier: Apache-2.0
/** The scheduler with its plugins and a cluster in memory. */
package org.moorage.schedulertests;
