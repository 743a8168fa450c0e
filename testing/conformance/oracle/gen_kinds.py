#!/usr/bin/env python3
# Writes what Kubernetes' own API has: its kinds, and the fields of those that simulations read.
#   gen_kinds.py KUBERNETES FOLDER
# KUBERNETES is the source of k8s.io/kubernetes (its api/ folder is read), FOLDER where kinds.txt and fields.txt go
# (framework-objects/src/main/resources/org/moorage/objects/tree).
import glob, json, sys

source, folder = sys.argv[1:]
READ = """v1/Pod v1/Node v1/Namespace v1/Service v1/ReplicationController v1/PersistentVolume v1/PersistentVolumeClaim
apps/v1/Deployment apps/v1/ReplicaSet apps/v1/StatefulSet apps/v1/DaemonSet batch/v1/Job batch/v1/CronJob
storage.k8s.io/v1/StorageClass storage.k8s.io/v1/CSINode storage.k8s.io/v1/CSIDriver storage.k8s.io/v1/CSIStorageCapacity
storage.k8s.io/v1/VolumeAttachment resource.k8s.io/v1/ResourceClaim resource.k8s.io/v1/ResourceClaimTemplate
resource.k8s.io/v1/ResourceSlice resource.k8s.io/v1/DeviceClass resource.k8s.io/v1/DeviceTaintRule
scheduling.k8s.io/v1/PriorityClass scheduling.k8s.io/v1beta1/PodGroup scheduling.k8s.io/v1alpha3/PodGroup
scheduling.k8s.io/v1alpha3/CompositePodGroup policy/v1/PodDisruptionBudget""".split()

kinds = set()
for path in glob.glob(source + "/api/discovery/api*__*.json"):
    resources = json.load(open(path))
    for resource in resources.get("resources", []):
        if "/" not in resource["name"] and {"create", "list"} & set(resource["verbs"]):
            scope = "namespaced" if resource["namespaced"] else "cluster"
            kinds.add((resources["groupVersion"], resource["kind"], resource["name"], scope))
with open(folder + "/kinds.txt", "w") as out:
    for kind in sorted(kinds):
        out.write(" ".join(kind) + "\n")

definitions = json.load(open(source + "/api/openapi-spec/swagger.json"))["definitions"]
roots = {}
for name, definition in definitions.items():
    for kind in definition.get("x-kubernetes-group-version-kind", []):
        version = (kind["group"] + "/" if kind["group"] else "") + kind["version"]
        roots[version + "/" + kind["kind"]] = name


def short(name):
    return ".".join(name.split(".")[-3:])


def reference(field):
    """The name of the type that a field has, or its items or values have; empty if these have no fields of their own."""
    field = field.get("items", field)
    values = field.get("additionalProperties")
    if isinstance(values, dict):
        inner = reference(values)
        return inner and "{}" + inner
    name = field.get("$ref", "").split("/")[-1]
    return name if definitions.get(name, {}).get("properties") else ""


types, waiting = {}, [roots[kind] for kind in READ]
while waiting:
    name = waiting.pop()
    if name in types:
        continue
    assert all(short(name) != short(other) for other in types), name
    fields = types[name] = {}
    for field, definition in definitions[name]["properties"].items():
        fields[field] = reference(definition)
        if fields[field]:
            waiting.append(fields[field].removeprefix("{}"))
with open(folder + "/fields.txt", "w") as out:
    for kind in READ:
        out.write(kind + " = " + short(roots[kind]) + "\n")
    for name in sorted(types, key=short):
        fields = ((field, type) for field, type in sorted(types[name].items()))
        out.write(short(name) + ": " + " ".join(
            field + ("=" + ("{}" if type.startswith("{}") else "") + short(type.removeprefix("{}")) if type else "")
            for field, type in fields) + "\n")
