// SPDX-License-Identifier: Apache-2.0
/** Tests of a scheduler's decisions about groups of pods. */
package org.moorage.schedulertests.groups;
