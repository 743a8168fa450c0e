// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * An answer that another program wrote, which may have fields that are unknown here.
 *
 * @param tree the answer
 */
public record JsonAnswer(@JsonValue JsonNode tree) implements Answer {}
