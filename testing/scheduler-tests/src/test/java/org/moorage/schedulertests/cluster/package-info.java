// SPDX-License-Identifier: Apache-2.0
/** What the cluster tells, and what it does not. */
package org.moorage.schedulertests.cluster;
