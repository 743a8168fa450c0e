// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

/**
 * The nodes that a pod may get, in figures: rows are nodes, columns resources.
 *
 * @param capacity how much a node has
 * @param usage how much of it is used
 * @param demand how much the pod wants
 * @param prime the column of the resource that matters most
 */
record Candidates(double[][] capacity, double[][] usage, double[] demand, int prime) {
    int size() {
        return capacity.length;
    }

    /** Whether the pod fits on a node by all resources. */
    boolean fits(int node) {
        for (int j = 0; j < demand.length; j++) {
            if (demand[j] > capacity[node][j] - usage[node][j]) {
                return false;
            }
        }
        return true;
    }

    /** How much of the prime resource of a node is used, as a fraction; a node that has none of it is full. */
    double load(int node) {
        return capacity[node][prime] > 0 ? usage[node][prime] / capacity[node][prime] : 1;
    }

    /** By how much that fraction rises with the pod. */
    double rise(int node) {
        return capacity[node][prime] > 0 ? demand[prime] / capacity[node][prime] : 0;
    }

    /** How much of a resource of a node is used with so much more on it, from 0 to 1. */
    double utilization(int node, int resource, double added) {
        double used = usage[node][resource] + added;
        double available = capacity[node][resource];
        if (available <= 0) {
            return used > 0 ? 1 : 0;
        }
        return Math.min(Math.max(used / available, 0), 1);
    }

    double averageCapacity(int resource) {
        double sum = 0;
        for (double[] node : capacity) {
            sum += node[resource];
        }
        return sum / capacity.length;
    }
}
