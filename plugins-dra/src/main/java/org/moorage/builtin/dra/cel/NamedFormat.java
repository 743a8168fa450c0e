// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.util.List;
import java.util.function.Function;

/**
 * A form that texts can be checked against.
 *
 * @param name the name by which two of them are compared
 * @param patternSize the length of a regular expression that would do the same, for its cost
 * @param problems what is wrong with a text; empty if nothing
 */
record NamedFormat(String name, int patternSize, Function<String, List<String>> problems) {}
