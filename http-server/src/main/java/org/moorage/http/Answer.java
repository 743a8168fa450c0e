// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

/** What becomes of a request once its head is known: a response, or its body is read. */
public sealed interface Answer permits Response, ReadBody {}
