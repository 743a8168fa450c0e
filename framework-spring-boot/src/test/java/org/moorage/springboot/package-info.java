// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.moorage.springboot;

import org.jspecify.annotations.NullMarked;
