// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.springboot;

import java.util.Map;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.HowMany;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.admission.AdmittedPod;
import org.moorage.simulation.admission.NewPods;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Answers over HTTP how many pods of a template would fit. */
@SpringBootApplication
public class FitsApplication {
    private static final int MOST = 1000;

    /** Starts it. */
    public static void main(String[] args) {
        SpringApplication.run(FitsApplication.class, args);
    }

    /** The endpoint. */
    @RestController
    static class Fits {
        private final Scheduler scheduler;
        private final NewPods newPods;

        Fits(Scheduler scheduler, NewPods newPods) {
            this.scheduler = scheduler;
            this.newPods = newPods;
        }

        record Answer(int fits, Map<String, Integer> byNode, String stoppedBy) {}

        // region ask
        /** Returns how many pods of a template, a JSON text, would fit, of at most {@code count}. */
        @PostMapping("/fits")
        Answer fits(@RequestBody String template, @RequestParam(defaultValue = "100") int count) {
            AdmittedPod pod = newPods.admit(template);
            if (!pod.claims().isEmpty()) {
                throw new IllegalArgumentException("pods with per-pod claims are not supported");
            }
            try (WhatIf cluster = scheduler.whatIf()) {
                HowMany answer = cluster.howMany(pod.pod(), Math.min(count, MOST));
                return new Answer(answer.count(), answer.byNode(), answer.stoppedBy());
            }
        }
        // endregion

        @ExceptionHandler({ObjectRefusedException.class, ObjectDecodeException.class, IllegalArgumentException.class})
        @ResponseStatus(HttpStatus.UNPROCESSABLE_CONTENT)
        Map<String, String> refused(RuntimeException refused) {
            return Map.of("refused", String.valueOf(refused.getMessage()));
        }
    }
}
