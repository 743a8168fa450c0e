// SPDX-License-Identifier: Apache-2.0
/** Tests of the objects that a scheduler receives from the cluster, and of missing ones. */
package org.moorage.schedulertests.cluster;
