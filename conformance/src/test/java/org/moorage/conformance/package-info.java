// SPDX-License-Identifier: Apache-2.0
/** Recorded answers of the real kube-scheduler, held against ours, and the borders between modules. */
@NullMarked
package org.moorage.conformance;

import org.jspecify.annotations.NullMarked;
