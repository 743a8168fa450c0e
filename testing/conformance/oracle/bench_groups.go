package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// gangSize is how many pods a gang has; the last one may have fewer.
const gangSize = 500

func isGang(kind string) bool { return strings.HasPrefix(kind, "gang") }

func benchGates(kind string) map[string]bool {
	switch {
	case kind == "gangtopology":
		return map[string]bool{"GenericWorkload": true, "TopologyAwareWorkloadScheduling": true}
	case isGang(kind):
		// Evictions are no part of the decision.
		return map[string]bool{"GenericWorkload": true, "SchedulerAsyncPreemption": true}
	}
	return nil
}

// benchGangs makes so many pods, in gangs. What is there before a gang preempts are pods of their own.
func benchGangs(prefix string, pods int, kind string) []kruntime.Object {
	var objs []kruntime.Object
	if kind == "gangpreemption" && prefix == "init" {
		return nil
	}
	for first := 0; first < pods; first += gangSize {
		size := min(gangSize, pods-first)
		name := fmt.Sprintf("%s-%d", prefix, first/gangSize)
		group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("group-" + name)},
			Spec: schedulingv1beta1.PodGroupSpec{SchedulingPolicy: schedulingv1beta1.PodGroupSchedulingPolicy{Gang: &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(size)}}}}
		if kind == "gangtopology" {
			group.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{Topology: []schedulingv1beta1.TopologyConstraint{{Key: "topology.kubernetes.io/zone"}}}
		}
		if kind == "gangpreemption" {
			group.Spec.Priority = &highPriority
		}
		objs = append(objs, group)
		for i := first; i < first+size; i++ {
			p := benchPod(prefix, i, kind)
			p.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &name}
			if kind == "gangpreemption" {
				p.Spec.Priority = &highPriority
			}
			objs = append(objs, p)
		}
	}
	return objs
}

var highPriority = int32(10)

// halfOfANode is what two pods leave no room beside.
var halfOfANode = v1.ResourceList{v1.ResourceCPU: resource.MustParse("16"), v1.ResourceMemory: resource.MustParse("500Mi")}

// queuedGangs takes all gangs off the queue, those of each prefix in the order of their numbers.
func (w *world) queuedGangs(batching bool) map[string][]*framework.QueuedPodGroupInfo {
	gangs := map[string][]*framework.QueuedPodGroupInfo{}
	for len(w.sched.SchedulingQueue.PodsInActiveQ()) > 0 {
		e, err := w.pop()
		must(err)
		gang := e.(*framework.QueuedPodGroupInfo)
		if !batching {
			gang.ForEachPodInfo(func(i *framework.QueuedPodInfo) bool {
				i.PodSignature = nil
				return true
			})
		}
		prefix, _, _ := strings.Cut(gang.GetName(), "-")
		gangs[prefix] = append(gangs[prefix], gang)
	}
	for _, all := range gangs {
		slices.SortFunc(all, func(a, b *framework.QueuedPodGroupInfo) int {
			return cmp.Or(cmp.Compare(len(a.GetName()), len(b.GetName())), strings.Compare(a.GetName(), b.GetName()))
		})
	}
	return gangs
}

//go:linkname runRootSchedulingAlgorithm k8s.io/kubernetes/pkg/scheduler.(*Scheduler).runRootSchedulingAlgorithm
func runRootSchedulingAlgorithm(sched *scheduler.Scheduler, ctx context.Context, f framework.Framework, state *framework.CycleState, root *framework.QueuedPodGroupInfo) map[fwk.EntityKey]unsafe.Pointer

//go:linkname makeProposedAssignments k8s.io/kubernetes/pkg/scheduler.makeProposedAssignments
func makeProposedAssignments(result unsafe.Pointer) []fwk.ProposedAssignment

// tryGang finds nodes for the pods of a gang, which are all taken back.
func (w *world) tryGang(state *framework.CycleState, gang *framework.QueuedPodGroupInfo) []fwk.ProposedAssignment {
	var found []fwk.ProposedAssignment
	for _, result := range runRootSchedulingAlgorithm(w.sched, w.ctx, w.fw, state, gang) {
		found = append(found, makeProposedAssignments(result)...)
	}
	return found
}

// scheduleGangs gives nodes to gangs, one after the other, or finds out who would have to leave for each.
func (w *world) scheduleGangs(gangs []*framework.QueuedPodGroupInfo, kind string) []time.Duration {
	log := klog.Background()
	lat := make([]time.Duration, 0, len(gangs))
	for _, gang := range gangs {
		t0 := time.Now()
		must(w.sched.Cache.UpdateSnapshot(log, w.snap))
		state := framework.NewCycleState()
		found := w.tryGang(state, gang)
		if kind == "gangpreemption" {
			w.preempt(state, gang, len(found))
		} else {
			if len(found) != len(gang.UnscheduledPods) {
				panic(fmt.Sprintf("%d of %d pods of gang %s have a node", len(found), len(gang.UnscheduledPods), gang.GetName()))
			}
			for _, a := range found {
				assumed := a.GetPod().DeepCopy()
				assumed.Spec.NodeName = a.GetNodeName()
				must(w.sched.Cache.AssumePod(log, assumed))
			}
		}
		lat = append(lat, time.Since(t0))
	}
	return lat
}

func (w *world) preempt(state *framework.CycleState, gang *framework.QueuedPodGroupInfo, found int) {
	if found > 0 {
		panic(fmt.Sprintf("%d pods of gang %s have a node (expected: no room)", found, gang.GetName()))
	}
	try := func(context.Context) (*fwk.PodGroupAssignments, *fwk.Status) {
		found := w.tryGang(framework.NewCycleState(), gang)
		if len(found) != len(gang.UnscheduledPods) {
			return nil, fwk.NewStatus(fwk.Unschedulable, "no room")
		}
		return &fwk.PodGroupAssignments{ProposedAssignments: found}, nil
	}
	res, st := w.fw.RunPodGroupPostFilterPlugins(w.ctx, state, gang.PodGroupInfo, try)
	if !st.IsSuccess() || len(res.NominatingInfos) != len(gang.UnscheduledPods) {
		panic(fmt.Sprintf("gang %s: %v", gang.GetName(), st))
	}
}
