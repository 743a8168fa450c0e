// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A reference to the owner of an object.
 *
 * @param apiVersion the owner's API group and version
 * @param kind the owner's kind
 * @param name the owner's name
 * @param uid the owner's UID
 * @param controller whether the owner manages the object; at most one owner does
 */
public record OwnerReference(String apiVersion, String kind, String name, String uid, boolean controller) {}
