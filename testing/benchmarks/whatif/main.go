// SPDX-License-Identifier: Apache-2.0

// schedlib asks sigs.k8s.io/scheduler-library what-if questions about a cluster in a file, and times the answers. The benchmarks'
// WhatIfBenchmark takes the same arguments, and answers in the same form.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"sigs.k8s.io/scheduler-library/pkg/simulator"
	"sigs.k8s.io/scheduler-library/pkg/upstreamsync/snapshot"
)

// question is a line of -questions. Pods are those of the file, by namespace/name.
type question struct {
	Question string   `json:"question"` // fits, howmany, place, check
	Pod      string   `json:"pod"`      // fits, howmany: the pod or the template
	Max      int      `json:"max"`      // howmany: no more than this
	Pods     []string `json:"pods"`     // place, check: in this order
	Evict    []string `json:"evict"`    // place, check: pods that leave before
	Without  []string `json:"without"`  // place, check: nodes that are no candidates
	On       []string `json:"on"`       // check: where each pod is put; empty for one that must fit nowhere
}

// answer is the line for it.
type answer struct {
	Feasible []string          `json:"feasible,omitempty"` // fits: the nodes, by name
	WhyNot   map[string]string `json:"whyNot,omitempty"`   // fits: what the first plugin says that rejects a node
	Placed   []string          `json:"placed,omitempty"`   // howmany, place: the node of each pod; empty for none
	Refused  map[int]string    `json:"refused,omitempty"`  // check: why a pod, by its number, cannot be where it was put, or is not without a node
	Error    string            `json:"error,omitempty"`
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "schedlib:", err)
		os.Exit(1)
	}
}

func main() {
	objects := flag.String("objects", "", "the cluster: a JSON document a line; pods without a node are those to ask about")
	questions := flag.String("questions", "", "questions, a JSON document a line; each is answered with a line")
	asked := flag.String("question", "howmany", "timed: howmany: pods of a template that fit; fits: where one would; fork: a transaction with one pod, reverted; drain: where the pods of each node in turn would go")
	pod := flag.String("pod", "", "timed: which pod of the file, as namespace/name")
	most := flag.Int("max", 100000, "timed, howmany: no more than this")
	times := flag.Int("times", 1, "timed: ask so often (drain: so many nodes)")
	warm := flag.Float64("warm", 0, "timed: ask for so many seconds before; without it the first answer is one of the timed ones")
	flag.Parse()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := newCluster(ctx, *objects)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	if *questions != "" {
		eachLine(*questions, func(line []byte) {
			var q question
			must(json.Unmarshal(line, &q))
			a, err := c.answer(&q)
			if err != nil {
				a = answer{Error: err.Error()}
			}
			text, err := json.Marshal(a)
			must(err)
			fmt.Fprintln(out, string(text))
		})
		return
	}
	fmt.Fprintln(out, c.time(*asked, *pod, *most, *times, time.Duration(*warm*float64(time.Second))))
}

type cluster struct {
	ctx        context.Context
	snap       *snapshot.ClusterSnapshot
	names      []string
	everywhere *fwk.Placement
	podByKey   map[string]*v1.Pod
	onNode     map[string][]string
	placed     int
	msSnapshot float64
}

// newCluster needs no API server: what plugins look up beside nodes and pods comes from a client that holds the file's objects.
func newCluster(ctx context.Context, file string) *cluster {
	c := &cluster{ctx: ctx, podByKey: map[string]*v1.Pod{}, onNode: map[string][]string{}}
	var nodes []*v1.Node
	var pods []*v1.Pod
	var others []runtime.Object
	decoder := legacyscheme.Codecs.UniversalDeserializer()
	eachLine(file, func(line []byte) {
		object, _, err := decoder.Decode(line, nil, nil)
		must(err)
		legacyscheme.Scheme.Default(object)
		switch o := object.(type) {
		case *v1.Node:
			nodes = append(nodes, o)
			c.names = append(c.names, o.Name)
		case *v1.Pod:
			key := o.Namespace + "/" + o.Name
			c.podByKey[key] = o
			if node := o.Spec.NodeName; node != "" {
				pods = append(pods, o)
				c.onNode[node] = append(c.onNode[node], key)
			}
		default:
			others = append(others, o)
		}
	})
	// The library takes only a client that it has made; nothing is asked of it.
	client, err := simulator.NewReadonlyClient(&rest.Config{Host: "https://127.0.0.1:1"})
	must(err)
	config, err := latest.Default()
	must(err)
	sim, err := simulator.NewSchedulingSimulator(ctx, config, client, scheduler.NewInformerFactory(fake.NewClientset(others...), 0))
	must(err)
	start := time.Now()
	c.snap, err = sim.NewClusterSnapshot(ctx, pods, nodes)
	must(err)
	c.msSnapshot = millis(start)
	c.placed = len(pods)
	c.everywhere, err = c.snap.MakePlacement(c.names)
	must(err)
	return c
}

// time asks one question again and again, and gives a line with the times.
func (c *cluster) time(asked, pod string, most, times int, warm time.Duration) string {
	counted := 0
	ask := func(i int) {
		switch asked {
		case "howmany":
			placed, err := c.howMany(pod, most)
			must(err)
			counted = len(placed)
		case "fits":
			feasible, _, err := c.snap.CanSchedulePod(c.ctx, c.pending(pod, 0), c.everywhere)
			must(err)
			counted = len(feasible)
		case "fork":
			placed, err := c.place([]string{pod}, nil, c.everywhere)
			must(err)
			counted = count(placed)
		case "drain":
			placed, err := c.drain(c.names[i%len(c.names)])
			must(err)
			counted += count(placed)
		default:
			must(fmt.Errorf("no question %q", asked))
		}
	}
	start := time.Now()
	ask(0)
	first := millis(start)
	took := []float64{first}
	if warm > 0 {
		for i := 0; time.Since(start) < warm; i++ {
			ask(i % times)
		}
		counted = 0
		took = nil
	}
	for i := len(took); i < times; i++ {
		start := time.Now()
		ask(i)
		took = append(took, millis(start))
	}
	sort.Float64s(took)
	return fmt.Sprintf(`{"library":"scheduler-library","question":%q,"nodes":%d,"pods":%d,"answer":%d,"times":%d,"msFirst":%.3f,"msMedian":%.4f,"msMax":%.3f,"msSnapshot":%.1f}`,
		asked, len(c.names), c.placed, counted, times, first, took[len(took)/2], took[len(took)-1], c.msSnapshot)
}

func (c *cluster) answer(q *question) (answer, error) {
	switch q.Question {
	case "fits":
		return c.fits(q.Pod)
	case "howmany":
		placed, err := c.howMany(q.Pod, q.Max)
		return answer{Placed: placed}, err
	case "place":
		candidates, err := c.without(q.Without)
		if err != nil {
			return answer{}, err
		}
		placed, err := c.place(q.Pods, q.Evict, candidates)
		return answer{Placed: placed}, err
	case "check":
		refused, err := c.check(q)
		return answer{Refused: refused}, err
	}
	return answer{}, fmt.Errorf("no question %q", q.Question)
}

func (c *cluster) fits(key string) (answer, error) {
	feasible, diagnosis, err := c.snap.CanSchedulePod(c.ctx, c.pending(key, 0), c.everywhere)
	if err != nil {
		return answer{}, err
	}
	slices.Sort(feasible)
	whyNot := map[string]string{}
	for _, name := range c.names {
		if _, fits := slices.BinarySearch(feasible, name); !fits {
			whyNot[name] = diagnosis.NodeToStatus.Get(name).Message()
		}
	}
	return answer{Feasible: feasible, WhyNot: whyNot}, nil
}

func (c *cluster) howMany(key string, most int) ([]string, error) {
	pod := c.pending(key, 0)
	template := &v1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	results, err := c.snap.SchedulePodsByTemplate(c.ctx, template, c.everywhere, most, snapshot.NewSchedulePodsByTemplateOptions(true))
	placed := nodesOf(results)
	if n := len(placed); n > 0 && placed[n-1] == "" {
		placed = placed[:n-1]
	}
	return placed, err
}

// drain has the pods of a node scheduled elsewhere.
func (c *cluster) drain(node string) ([]string, error) {
	candidates, err := c.without([]string{node})
	if err != nil {
		return nil, err
	}
	return c.place(c.onNode[node], c.onNode[node], candidates)
}

// without gives the nodes but these.
func (c *cluster) without(names []string) (*fwk.Placement, error) {
	if len(names) == 0 {
		return c.everywhere, nil
	}
	others := make([]string, 0, len(c.names))
	for _, name := range c.names {
		if !slices.Contains(names, name) {
			others = append(others, name)
		}
	}
	return c.snap.MakePlacement(others)
}

// pending gives a pod as it would be without its node; each number makes another pod of it.
func (c *cluster) pending(key string, number int) *v1.Pod {
	pod := c.podByKey[key].DeepCopy()
	pod.Name = fmt.Sprintf("%s-%d", pod.Name, number)
	pod.UID = types.UID(fmt.Sprintf("asked-%d", number))
	pod.Spec.NodeName = ""
	return pod
}

// place schedules pods in a transaction that is reverted.
func (c *cluster) place(keys, evicted []string, candidates *fwk.Placement) (placed []string, err error) {
	pods := make([]*v1.Pod, len(keys))
	for i, key := range keys {
		pods[i] = c.pending(key, i)
	}
	err = c.tryAfter(evicted, func() error {
		results, err := c.snap.SchedulePods(c.ctx, pods, candidates, snapshot.NewSchedulePodsOptions(false, false))
		placed = nodesOf(results)
		return err
	})
	return placed, err
}

// check puts each pod where it is told to, and tells for which that is not among the nodes that fit it.
func (c *cluster) check(q *question) (refused map[int]string, err error) {
	refused = map[int]string{}
	candidates, err := c.without(q.Without)
	if err != nil {
		return nil, err
	}
	err = c.tryAfter(q.Evict, func() error {
		for i, key := range q.Pods {
			pod := c.pending(key, i)
			feasible, diagnosis, err := c.snap.CanSchedulePod(c.ctx, pod, candidates)
			if err != nil {
				return err
			}
			if q.On[i] == "" {
				if len(feasible) > 0 {
					refused[i] = "fits " + feasible[0]
				}
				continue
			}
			if !slices.Contains(feasible, q.On[i]) {
				refused[i] = diagnosis.NodeToStatus.Get(q.On[i]).Message()
				continue
			}
			there, err := c.snap.MakePlacement([]string{q.On[i]})
			if err != nil {
				return err
			}
			if _, err := c.snap.SchedulePods(c.ctx, []*v1.Pod{pod}, there, snapshot.NewSchedulePodsOptions(false, false)); err != nil {
				return err
			}
		}
		return nil
	})
	return refused, err
}

// tryAfter runs a function in a transaction that is reverted, after these pods have left.
func (c *cluster) tryAfter(evicted []string, try func() error) error {
	leaving := make([]*v1.Pod, len(evicted))
	for i, key := range evicted {
		leaving[i] = c.podByKey[key]
	}
	return c.snap.Transaction(c.ctx, func() (snapshot.TransactionResult, error) {
		if _, err := c.snap.PreemptPods(c.ctx, leaving); err != nil {
			return snapshot.Revert, err
		}
		return snapshot.Revert, try()
	})
}

func nodesOf(results []snapshot.SchedulingResult) []string {
	nodes := make([]string, len(results))
	for i, result := range results {
		if result.Status.IsSuccess() {
			nodes[i] = result.SelectedNodeName
		}
	}
	return nodes
}

func count(placed []string) int {
	n := 0
	for _, node := range placed {
		if node != "" {
			n++
		}
	}
	return n
}

func millis(since time.Time) float64 {
	return float64(time.Since(since).Nanoseconds()) / 1e6
}

func eachLine(file string, do func([]byte)) {
	f, err := os.Open(file)
	must(err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		if len(lines.Bytes()) > 0 {
			do(lines.Bytes())
		}
	}
	must(lines.Err())
}
