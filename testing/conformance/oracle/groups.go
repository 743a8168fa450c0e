package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// GroupCase is one decision about a group of pods: a cluster, a group in it, and what kube-scheduler makes of the group.
type GroupCase struct {
	Name         string            `json:"name"`
	FeatureGates map[string]bool   `json:"featureGates,omitempty"`
	Config       json.RawMessage   `json:"config,omitempty"`
	Objects      []json.RawMessage `json:"objects"`
	Group        string            `json:"group"` // namespace/name of a PodGroup, or of a CompositePodGroup if there is no such PodGroup
	Expect       *GroupExpect      `json:"expect,omitempty"`
}

type GroupExpect struct {
	// PreEnqueue holds the pending members that the queue does not let in, and who says so.
	PreEnqueue map[string][]StatusOut `json:"preEnqueue,omitempty"`
	// Queued says whether the group came up for a decision at all.
	Queued bool `json:"queued"`
	// Outcomes holds every decision that is right; the first is the one with each tie given to the first name.
	Outcomes []GroupOutcome `json:"outcomes,omitempty"`
	// Complete says that all ways of breaking ties were followed to their ends.
	Complete bool `json:"complete"`
	// Trace tells how the first outcome came about.
	Trace []GroupStep `json:"trace,omitempty"`
	Error string      `json:"error,omitempty"`
}

type GroupOutcome struct {
	Pods       map[string]GroupPod       `json:"pods"`
	Conditions map[string]GroupCondition `json:"conditions,omitempty"`
	Victims    []string                  `json:"victims,omitempty"`
}

// GroupPod is what becomes of a pod: its node, or why it has none and the node that is kept for it.
type GroupPod struct {
	Node      string `json:"node,omitempty"`
	Code      string `json:"code,omitempty"`
	Message   string `json:"message,omitempty"`
	Nominated string `json:"nominated,omitempty"`
}

type GroupCondition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
}

// GroupStep is one step of a group's cycle: a pod tried in a placement, or a choice among placements.
type GroupStep struct {
	Placement string                      `json:"placement,omitempty"`
	Pod       string                      `json:"pod,omitempty"`
	Totals    map[string]int64            `json:"totals,omitempty"`
	Node      string                      `json:"node,omitempty"`
	Scores    map[string]map[string]int64 `json:"scores,omitempty"` // of placements, by plugin
	Best      []string                    `json:"best,omitempty"`
}

// choices breaks ties: as told, then always the first way. It remembers how many ways there were each time.
type choices struct {
	told []int
	ways []int
}

func (c *choices) pick(n int) int {
	i := len(c.ways)
	c.ways = append(c.ways, n)
	if i < len(c.told) {
		return c.told[i]
	}
	return 0
}

// next is the next path after this one, or nil if there is none.
func (c *choices) next() []int {
	told := make([]int, len(c.ways))
	copy(told, c.told)
	for i := len(told) - 1; i >= 0; i-- {
		if told[i]+1 < c.ways[i] {
			told[i]++
			return told[:i+1]
		}
	}
	return nil
}

// tieBreaker is kube-scheduler's framework with the dice taken out: among equal nodes and equal placements it decides, and it
// has placements tried in the order of their names.
type tieBreaker struct {
	framework.Framework
	w     *world
	c     *choices
	first string // the placement to try first, if any
	mu    sync.Mutex
	over  bool
	out   GroupOutcome
	steps []GroupStep
	names []string // placements
}

func (t *tieBreaker) placement() string {
	if p := t.w.snap.GetPlacement(); p != nil {
		return p.Name
	}
	return ""
}

func (t *tieBreaker) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, st := t.Framework.RunScorePlugins(ctx, state, pod, nodes)
	if !st.IsSuccess() || len(scores) == 0 {
		return scores, st
	}
	best := slices.MaxFunc(scores, func(a, b fwk.NodePluginScores) int { return int(a.TotalScore - b.TotalScore) }).TotalScore
	var ties []string
	step := GroupStep{Placement: t.placement(), Pod: pod.Namespace + "/" + pod.Name, Totals: map[string]int64{}}
	for _, s := range scores {
		step.Totals[s.Name] = s.TotalScore
		if s.TotalScore == best {
			ties = append(ties, s.Name)
		}
	}
	sort.Strings(ties)
	if len(ties) > 1 {
		step.Node = ties[t.c.pick(len(ties))]
	} else {
		step.Node = ties[0]
	}
	for i := range scores {
		if scores[i].Name == step.Node {
			scores[i].TotalScore++
		}
	}
	t.steps = append(t.steps, step)
	return scores, st
}

func (t *tieBreaker) RunPlacementGeneratePlugins(ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo, nodes []fwk.NodeInfo) ([]*fwk.Placement, *fwk.Status) {
	ps, st := t.Framework.RunPlacementGeneratePlugins(ctx, state, group, nodes)
	sort.Slice(ps, func(i, j int) bool {
		if (ps[i].Name == t.first) != (ps[j].Name == t.first) {
			return ps[i].Name == t.first
		}
		return ps[i].Name < ps[j].Name
	})
	for _, p := range ps {
		if !slices.Contains(t.names, p.Name) {
			t.names = append(t.names, p.Name)
		}
	}
	return ps, st
}

func (t *tieBreaker) RunPlacementScorePlugins(ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo, ps []*fwk.PodGroupAssignments, states []fwk.PlacementCycleState) ([]fwk.PlacementPluginScores, *fwk.Status) {
	scores, st := t.Framework.RunPlacementScorePlugins(ctx, state, group, ps, states)
	if !st.IsSuccess() || len(scores) == 0 {
		return scores, st
	}
	best := slices.MaxFunc(scores, func(a, b fwk.PlacementPluginScores) int { return int(a.TotalScore - b.TotalScore) }).TotalScore
	step := GroupStep{Scores: map[string]map[string]int64{}, Totals: map[string]int64{}}
	for _, s := range scores {
		m := map[string]int64{}
		for _, p := range s.Scores {
			m[p.Name] = p.Score
		}
		step.Scores[s.Placement.Name], step.Totals[s.Placement.Name] = m, s.TotalScore
		if s.TotalScore == best {
			step.Best = append(step.Best, s.Placement.Name)
		}
	}
	sort.Strings(step.Best)
	step.Placement = step.Best[0]
	if len(step.Best) > 1 {
		step.Placement = step.Best[t.c.pick(len(step.Best))]
	}
	for i := range scores {
		if scores[i].Placement.Name == step.Placement {
			scores[i].TotalScore++
		}
	}
	t.steps = append(t.steps, step)
	return scores, st
}

func (t *tieBreaker) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) (map[string]time.Duration, *fwk.Status) {
	wait, st := t.Framework.RunPermitPlugins(ctx, state, pod, node)
	if st.IsSuccess() || st.IsWait() {
		t.mu.Lock()
		t.out.Pods[pod.Namespace+"/"+pod.Name] = GroupPod{Node: node}
		t.mu.Unlock()
	}
	return wait, st
}

// WaitOnPermit holds every binding back: the decision is made, and nothing must change before it has been read.
func (t *tieBreaker) WaitOnPermit(_ context.Context, _ *v1.Pod) *fwk.Status {
	<-t.w.ctx.Done()
	return fwk.NewStatus(fwk.Error, "the case is over")
}

func (t *tieBreaker) failed(podInfo *framework.QueuedPodInfo, status *fwk.Status, nominating *fwk.NominatingInfo) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return false
	}
	g := GroupPod{Code: status.Code().String(), Message: status.Message()}
	if nominating != nil {
		g.Nominated = nominating.NominatedNodeName
	}
	t.out.Pods[podInfo.Pod.Namespace+"/"+podInfo.Pod.Name] = g
	return true
}

func evalGroup(c *GroupCase, limit int) (*GroupExpect, error) {
	cfg, err := loadConfig(c.Config)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	var objs []runtime.Object
	order := map[string]int{}
	kind, composite := "", false
	var members []*v1.Pod
	for i, raw := range c.Objects {
		o, err := decode(raw, true)
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		objs = append(objs, o)
		m := o.(metav1.Object)
		name := m.GetNamespace() + "/" + m.GetName()
		switch k := o.GetObjectKind().GroupVersionKind().Kind; {
		case k == "Pod":
			order[name] = i
			members = append(members, o.(*v1.Pod))
		case name == c.Group && k == "PodGroup":
			kind = k
		case name == c.Group && k == "CompositePodGroup":
			composite = true
		}
	}
	if kind == "" && !composite {
		return nil, fmt.Errorf("group %s is not among the objects", c.Group)
	}
	ex := &GroupExpect{}
	run := func(told []int, first string) (*tieBreaker, error) {
		// A world of its own: one decision must not see what another left behind.
		fresh := make([]runtime.Object, len(objs))
		for i, o := range objs {
			fresh[i] = o.DeepCopyObject()
		}
		w, err := newWorld(cfg, fresh, profileOf(members))
		if err != nil {
			return nil, err
		}
		defer w.cancel()
		t := &tieBreaker{Framework: w.fw, w: w, c: &choices{told: told}, first: first, out: GroupOutcome{Pods: map[string]GroupPod{}, Conditions: map[string]GroupCondition{}}}
		entity, err := w.popGroup(c.Group, kind == "", order)
		if err != nil {
			return nil, err
		}
		if ex.PreEnqueue == nil {
			ex.PreEnqueue = w.kept(members)
		}
		if entity == nil {
			return t, nil
		}
		ex.Queued = true
		for name := range w.sched.Profiles {
			if name == w.fw.ProfileName() {
				w.sched.Profiles[name] = t
			}
		}
		handle := w.sched.FailureHandler
		w.sched.FailureHandler = func(ctx context.Context, f framework.Framework, p *framework.QueuedPodInfo, st *fwk.Status, n *fwk.NominatingInfo, start time.Time) {
			if t.failed(p, st, n) {
				handle(ctx, f, p, st, n, start)
			}
		}
		w.sched.NextEntity = func(klog.Logger) (framework.QueuedEntityInfo, error) { return entity, nil }
		w.client.ClearActions()
		w.sched.ScheduleOne(w.ctx)
		t.mu.Lock()
		t.over = true
		t.mu.Unlock()
		t.readActions(w.client.Actions())
		return t, nil
	}
	seen := map[string]bool{}
	note := func(t *tieBreaker) {
		b, _ := json.Marshal(t.out)
		if !seen[string(b)] {
			seen[string(b)] = true
			ex.Outcomes = append(ex.Outcomes, t.out)
		}
	}
	var told []int
	runs := 0
	placements := map[string]bool{}
	for ex.Complete = true; ; {
		t, err := run(told, "")
		if err != nil {
			return nil, err
		}
		if !ex.Queued {
			return ex, nil
		}
		if runs == 0 {
			ex.Trace = t.steps
		}
		for _, n := range t.names {
			placements[n] = true
		}
		note(t)
		runs++
		if told = t.c.next(); told == nil {
			break
		}
		if runs >= limit {
			ex.Complete = false
			break
		}
	}
	// Which placement is tried first shows in a failure's text; and what is left of chance would show in a repetition.
	others := slices.Sorted(maps.Keys(placements))
	if len(others) < 2 || !anyUnscheduled(ex.Outcomes) {
		others = []string{"", ""}
	}
	failed := false
	for _, p := range ex.Outcomes[0].Pods {
		failed = failed || p.Code == fwk.Error.String()
	}
	if failed {
		// The text of an error may name things in any order: see many.
		others = make([]string, 40)
	}
	for _, first := range others {
		var told []int
		for {
			t, err := run(told, first)
			if err != nil {
				return nil, err
			}
			before := len(ex.Outcomes)
			note(t)
			if first == "" && len(ex.Outcomes) > before && !failed {
				ex.Complete = false
			}
			runs++
			if first == "" {
				break
			}
			if told = t.c.next(); told == nil {
				break
			}
			if runs >= 3*limit {
				ex.Complete = false
				break
			}
		}
	}
	return ex, nil
}

func anyUnscheduled(os []GroupOutcome) bool {
	for _, o := range os {
		for _, p := range o.Pods {
			if p.Node == "" {
				return true
			}
		}
	}
	return false
}

func profileOf(pods []*v1.Pod) string {
	for _, p := range pods {
		if p.Spec.NodeName == "" && p.Spec.SchedulingGroup != nil {
			return p.Spec.SchedulerName
		}
	}
	return ""
}

// kept says which pending members of groups the plugins at the queue's door keep out.
func (w *world) kept(pods []*v1.Pod) map[string][]StatusOut {
	out := map[string][]StatusOut{}
	for _, p := range pods {
		if p.Spec.NodeName != "" || p.Spec.SchedulingGroup == nil {
			continue
		}
		for _, pl := range w.fw.PreEnqueuePlugins() {
			if st := pl.PreEnqueue(w.ctx, p); !st.IsSuccess() {
				s := *statusOut(st)
				s.Plugin = pl.Name()
				out[p.Namespace+"/"+p.Name] = append(out[p.Namespace+"/"+p.Name], s)
			}
		}
	}
	return out
}

// popGroup takes entities off the queue until the group comes up; nil if it does not. Its pods stand as they do in the case.
func (w *world) popGroup(name string, composite bool, order map[string]int) (framework.QueuedEntityInfo, error) {
	want := fwk.PodGroupKeyType
	if composite {
		want = fwk.CompositePodGroupKeyType
	}
	for len(w.sched.SchedulingQueue.PodsInActiveQ())+len(w.sched.SchedulingQueue.PodsInBackoffQ()) > 0 {
		e, err := w.pop()
		if e == nil || err != nil {
			return nil, err
		}
		g, ok := e.(*framework.QueuedPodGroupInfo)
		if !ok || g.GetType() != want || g.GetNamespace()+"/"+g.GetName() != name {
			continue
		}
		place := func(p *v1.Pod) int { return order[p.Namespace+"/"+p.Name] }
		for _, infos := range g.QueuedPodInfos {
			sort.SliceStable(infos, func(i, j int) bool { return place(infos[i].Pod) < place(infos[j].Pod) })
			for _, i := range infos {
				i.PodSignature = nil // what was found for one pod is not handed on to the next
			}
		}
		var walk func(i *framework.PodGroupInfo)
		walk = func(i *framework.PodGroupInfo) {
			sort.SliceStable(i.UnscheduledPods, func(a, b int) bool { return place(i.UnscheduledPods[a]) < place(i.UnscheduledPods[b]) })
			sort.SliceStable(i.Children, func(a, b int) bool { return i.Children[a].Name < i.Children[b].Name })
			for _, child := range i.Children {
				walk(child)
			}
		}
		walk(g.PodGroupInfo)
		return g, nil
	}
	return nil, nil
}

func (w *world) pop() (framework.QueuedEntityInfo, error) {
	type popped struct {
		e   framework.QueuedEntityInfo
		err error
	}
	ch := make(chan popped, 1)
	go func() {
		e, err := w.sched.SchedulingQueue.Pop(klog.Background())
		ch <- popped{e, err}
	}()
	select {
	case p := <-ch:
		return p.e, p.err
	case <-time.After(2 * time.Second):
		w.sched.SchedulingQueue.Close()
		<-ch
		return nil, nil
	}
}

// readActions takes the victims and the groups' conditions from what was asked of the API server.
func (t *tieBreaker) readActions(actions []clienttesting.Action) {
	for _, a := range actions {
		r := a.GetResource().Resource
		if d, ok := a.(clienttesting.DeleteAction); ok && r == "pods" {
			t.out.Victims = append(t.out.Victims, d.GetNamespace()+"/"+d.GetName())
		}
		p, ok := a.(clienttesting.PatchAction)
		if !ok || (r != "podgroups" && r != "compositepodgroups") {
			continue
		}
		// A patch holds only what changed: the condition itself is in the object.
		var conds []metav1.Condition
		kind := "PodGroup/"
		if r == "podgroups" {
			g, err := t.w.client.SchedulingV1beta1().PodGroups(p.GetNamespace()).Get(context.Background(), p.GetName(), metav1.GetOptions{})
			must(err)
			conds = g.Status.Conditions
		} else {
			g, err := t.w.client.SchedulingV1alpha3().CompositePodGroups(p.GetNamespace()).Get(context.Background(), p.GetName(), metav1.GetOptions{})
			must(err)
			kind, conds = "CompositePodGroup/", g.Status.Conditions
		}
		for _, c := range conds {
			t.out.Conditions[kind+p.GetNamespace()+"/"+p.GetName()+"/"+c.Type] = GroupCondition{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message}
		}
	}
	sort.Strings(t.out.Victims)
}

func evalGroups(in io.Reader, enc *json.Encoder, limit int, g *gates) {
	wanted := func(c *GroupCase) (string, map[string]bool) { return "", c.FeatureGates }
	answerAll(json.NewDecoder(bufio.NewReaderSize(in, 1<<20)), enc, 8, g, wanted, func(c *GroupCase) {
		ex, err := evalGroup(c, limit)
		if err != nil {
			ex = &GroupExpect{Error: err.Error()}
		}
		c.Expect = ex
	})
}
