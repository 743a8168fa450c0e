// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;

/**
 * A response to a request about policies.
 *
 * @param status the HTTP status
 * @param contentType the type of the body
 * @param body the body
 */
record PolicyResponse(int status, String contentType, byte[] body) {
    private static final JsonMapper JSON = new JsonMapper();

    static PolicyResponse json(int status, ObjectNode body) {
        return new PolicyResponse(status, "application/json", body.toString().getBytes(StandardCharsets.UTF_8));
    }

    static PolicyResponse text(int status, String body) {
        return new PolicyResponse(status, "text/plain; charset=utf-8", body.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns an error in OPA's format. */
    static PolicyResponse error(int status, String code, String message) {
        return json(status, JSON.createObjectNode().put("code", code).put("message", message));
    }

    boolean isSuccess() {
        return status < 300;
    }

    String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
