// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

/**
 * The candidate nodes of a pod as matrices: rows are nodes, columns are resources.
 *
 * @param capacity the capacity of each node
 * @param usage the used part of the capacity
 * @param demand the demand of the pod
 * @param prime the column of the most important resource
 */
record Candidates(double[][] capacity, double[][] usage, double[] demand, int prime) {
    int size() {
        return capacity.length;
    }

    /** Returns whether the pod fits on a node in all resources. */
    boolean fits(int node) {
        for (int j = 0; j < demand.length; j++) {
            if (demand[j] > capacity[node][j] - usage[node][j]) {
                return false;
            }
        }
        return true;
    }

    /** Returns the used fraction of a node's prime resource; a node that has none of it is full. */
    double load(int node) {
        return capacity[node][prime] > 0 ? usage[node][prime] / capacity[node][prime] : 1;
    }

    /** Returns by how much the pod raises that fraction. */
    double rise(int node) {
        return capacity[node][prime] > 0 ? demand[prime] / capacity[node][prime] : 0;
    }

    /** Returns the utilization of a resource of a node after an increase of its usage, from 0 to 1. */
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
