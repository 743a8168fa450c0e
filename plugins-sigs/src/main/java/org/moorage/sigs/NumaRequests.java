// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.api.model.Container;
import org.moorage.api.model.Pod;
import org.moorage.api.model.QosClass;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;

/**
 * The requests of a pod as NUMA alignment reads them, computed once for all nodes.
 *
 * @param qosClass its quality of service class
 * @param hasForeignResources whether a container requests a resource that is not Kubernetes' own, such as a device
 * @param ofPod the requests of the pod as a whole
 * @param initContainers the requests of the init containers
 * @param containers the requests of the containers
 */
record NumaRequests(
        QosClass qosClass,
        boolean hasForeignResources,
        Request ofPod,
        List<Request> initContainers,
        List<Request> containers) {
    /** Resources that each node has, even if its allocatable amounts do not list them. */
    private static final Set<String> ALWAYS_LISTED = Set.of("cpu", "memory", "pods", "ephemeral-storage");

    /**
     * The requests of a container or of a pod.
     *
     * @param resources the requested resources, ordered by name
     * @param isSidecar whether it is that of a restartable init container
     */
    record Request(List<Resource> resources, boolean isSidecar) {
        static Request of(Map<String, Quantity> amounts, boolean isSidecar) {
            List<Resource> resources = new ArrayList<>(amounts.size());
            new TreeMap<>(amounts).forEach((name, amount) -> resources.add(Resource.of(name, amount)));
            return new Request(List.copyOf(resources), isSidecar);
        }
    }

    /**
     * The request of one resource.
     *
     * @param name the name of the resource
     * @param amount the requested amount
     * @param isZero whether nothing is requested
     * @param isShared whether only guaranteed pods get it from one cell: cpu, memory and huge pages
     * @param isOfHost whether the node may offer it without listing it in a cell
     * @param isAlwaysListed whether each node has it
     */
    record Resource(
            String name, Quantity amount, boolean isZero, boolean isShared, boolean isOfHost, boolean isAlwaysListed) {
        static Resource of(String name, Quantity amount) {
            return new Resource(
                    name,
                    amount,
                    amount.isZero(),
                    name.equals("cpu") || name.equals("memory") || ResourceName.isHugePages(name),
                    name.equals("ephemeral-storage") || name.equals("storage") || isForeign(name),
                    ALWAYS_LISTED.contains(name));
        }
    }

    static NumaRequests of(Pod pod) {
        List<Request> initContainers = new ArrayList<>();
        List<Request> containers = new ArrayList<>();
        boolean hasForeign = false;
        for (Container container : pod.spec().initContainers()) {
            initContainers.add(Request.of(container.requests(), container.isSidecar()));
            hasForeign |= hasForeign(container);
        }
        for (Container container : pod.spec().containers()) {
            containers.add(Request.of(container.requests(), false));
            hasForeign |= hasForeign(container);
        }
        return new NumaRequests(
                pod.qosClass(),
                hasForeign,
                Request.of(EffectiveResources.requests(pod.spec()), false),
                List.copyOf(initContainers),
                List.copyOf(containers));
    }

    private static boolean hasForeign(Container container) {
        for (String name : container.requests().keySet()) {
            if (isForeign(name)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isForeign(String name) {
        return name.indexOf('/') >= 0 && !name.contains("kubernetes.io/");
    }

    /** Returns whether the pod is guaranteed, so that the kubelet aligns its cpu, memory and huge pages. */
    boolean isGuaranteed() {
        return qosClass == QosClass.GUARANTEED;
    }

    /** Returns whether the topology manager has nothing to align. */
    boolean isNotAligned() {
        return qosClass == QosClass.BEST_EFFORT && !hasForeignResources;
    }

    /**
     * Returns whether a pod holds resources that no other pod can use at the same time: devices, and whole cores,
     * memory or huge pages of a guaranteed pod.
     */
    static boolean areExclusive(Pod pod) {
        boolean isGuaranteed = pod.qosClass() == QosClass.GUARANTEED;
        for (Container container : pod.spec().initContainers()) {
            if (areExclusive(container, isGuaranteed)) {
                return true;
            }
        }
        for (Container container : pod.spec().containers()) {
            if (areExclusive(container, isGuaranteed)) {
                return true;
            }
        }
        return false;
    }

    private static boolean areExclusive(Container container, boolean isGuaranteed) {
        for (Map.Entry<String, Quantity> request : container.requests().entrySet()) {
            String name = request.getKey();
            Quantity amount = request.getValue();
            boolean isWholeCores = name.equals("cpu") && amount.value() * 1000 == amount.milliValue();
            boolean isOfCell = isWholeCores || name.equals("memory") || ResourceName.isHugePages(name);
            if (isForeign(name) || isGuaranteed && isOfCell && amount.compareTo(Quantity.ZERO) > 0) {
                return true;
            }
        }
        return false;
    }
}
