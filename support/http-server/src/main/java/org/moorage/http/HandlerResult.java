// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

/** The answer to the head of a request: a response, or an order to read the body. */
public sealed interface HandlerResult permits Response, ReadBody {}
