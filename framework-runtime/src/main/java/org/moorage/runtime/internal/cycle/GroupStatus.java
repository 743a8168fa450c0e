// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.Code;

/**
 * What came of a group. As in kube-scheduler, a group whose parent fails has its parent's status: what is appended for one of them
 * stands in the messages of both.
 */
public final class GroupStatus {
    /** What kube-scheduler puts before the reasons of a group that did not become feasible. */
    public static final String UNSCHEDULABLE = "pod group is unschedulable";

    private final Code code;
    private final String error;
    private final List<String> reasons;

    private GroupStatus(Code code, String error, List<String> reasons) {
        this.code = code;
        this.error = error;
        this.reasons = new ArrayList<>(reasons);
    }

    static GroupStatus success() {
        return new GroupStatus(Code.SUCCESS, "", List.of());
    }

    static GroupStatus error(String message) {
        return new GroupStatus(Code.ERROR, message, List.of());
    }

    static GroupStatus rejected(Code code, List<String> reasons) {
        return new GroupStatus(code, "", reasons);
    }

    /** A rejection that says first that the group is unschedulable. */
    static GroupStatus unschedulable(List<String> reasons) {
        return new GroupStatus(Code.UNSCHEDULABLE, UNSCHEDULABLE, reasons);
    }

    /** Success, error, or the kind of rejection. */
    public Code code() {
        return code;
    }

    /** Whether it is a success. */
    public boolean isSuccess() {
        return code == Code.SUCCESS;
    }

    /** Adds what is said after all else. */
    void append(String reason) {
        reasons.add(reason);
    }

    /** What has failed alone, without the reasons; all of the message if nothing has. */
    String asError() {
        return error.isEmpty() ? message() : error;
    }

    /** All that is said of it; empty for a success. */
    public String message() {
        String joined = String.join(", ", reasons);
        return error.isEmpty() ? joined : reasons.isEmpty() ? error : error + ", " + joined;
    }

    @Override
    public String toString() {
        return code + ": " + message();
    }
}
