package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"sync"
	"time"
	_ "unsafe" // for linkname

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// extenderHost is what configurations of cases say; the extender of a case listens elsewhere.
const extenderHost = "http://extender.test"

//go:linkname findNodesThatPassExtenders k8s.io/kubernetes/pkg/scheduler.findNodesThatPassExtenders
func findNodesThatPassExtenders(ctx context.Context, extenders []fwk.Extender, pod *v1.Pod, feasibleNodes []fwk.NodeInfo, statuses *framework.NodeToStatus) ([]fwk.NodeInfo, error)

//go:linkname prioritizeNodes k8s.io/kubernetes/pkg/scheduler.prioritizeNodes
func prioritizeNodes(ctx context.Context, extenders []fwk.Extender, schedFramework framework.Framework, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, error)

// Request is what an extender was asked: objects without kind, node lists in the order of names, nothing that is empty.
type Request struct {
	Path string         `json:"path"`
	Body map[string]any `json:"body"`
}

// scriptedExtender answers by the path alone: /MODE/.../VERB. ScriptedExtender of the Java code does the same.
type scriptedExtender struct {
	server *httptest.Server
	mu     sync.Mutex
	seen   map[string]Request
}

func startExtender(cfg *config.KubeSchedulerConfiguration) *scriptedExtender {
	e := &scriptedExtender{seen: map[string]Request{}}
	e.server = httptest.NewServer(e)
	for i := range cfg.Extenders {
		cfg.Extenders[i].URLPrefix = strings.Replace(cfg.Extenders[i].URLPrefix, extenderHost, e.server.URL, 1)
	}
	return e
}

func (e *scriptedExtender) close() {
	if e != nil {
		e.server.CloseClientConnections()
		e.server.Close()
	}
}

// text brings the address in a text back to the one of the case.
func (e *scriptedExtender) text(s string) string {
	if e == nil {
		return s
	}
	s = strings.ReplaceAll(s, e.server.URL, extenderHost)
	return strings.ReplaceAll(s, strings.TrimPrefix(e.server.URL, "http://"), strings.TrimPrefix(extenderHost, "http://"))
}

func (e *scriptedExtender) requests() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	keys := []string{}
	for k := range e.seen {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	all := []Request{}
	for _, k := range keys {
		all = append(all, e.seen[k])
	}
	return all
}

func bucket(path, name string, n uint32) uint32 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, path+"/"+name)
	return h.Sum32() >> 8 % n
}

func (e *scriptedExtender) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	asked, _ := json.Marshal(body)
	var kept map[string]any
	_ = json.Unmarshal(asked, &kept)
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	mode, verb := parts[0], parts[len(parts)-1]
	// Whether a request that hangs arrives within its limit depends on how busy the machine is.
	if mode != "hang" {
		e.mu.Lock()
		normal := normalized(kept)
		key, _ := json.Marshal(normal)
		e.seen[r.URL.Path+" "+string(key)] = Request{r.URL.Path, normal}
		e.mu.Unlock()
	}
	switch mode {
	case "code500":
		http.Error(w, "no", http.StatusInternalServerError)
		return
	case "garbage":
		_, _ = io.WriteString(w, "<html>no</html>")
		return
	case "empty":
		return
	case "null":
		_, _ = io.WriteString(w, "null")
		return
	case "object":
		_, _ = io.WriteString(w, "{}")
		return
	case "list":
		_, _ = io.WriteString(w, "[]")
		return
	case "cut":
		_, _ = io.WriteString(w, `{"NodeNames": ["n0"`)
		return
	case "wrongtype":
		_, _ = io.WriteString(w, `{"NodeNames": "n0", "NodeNameToMetaVictims": 3}`)
		return
	case "error":
		_, _ = io.WriteString(w, `{"Error": "the extender says no"}`)
		return
	case "hang":
		select {
		case <-r.Context().Done():
		case <-time.After(3 * time.Second):
		}
		return
	}
	var answer any
	switch verb {
	case "filter":
		answer = filterAnswer(mode, r.URL.Path, body)
	case "prioritize":
		answer = prioritizeAnswer(r.URL.Path, body)
	case "preempt":
		answer = preemptAnswer(mode, r.URL.Path, body)
	default:
		answer = map[string]any{}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func nodeNames(body map[string]any) []string {
	names := []string{}
	if list, ok := body["NodeNames"].([]any); ok {
		for _, n := range list {
			names = append(names, n.(string))
		}
	}
	if list, ok := body["Nodes"].(map[string]any); ok {
		for _, n := range list["items"].([]any) {
			names = append(names, n.(map[string]any)["metadata"].(map[string]any)["name"].(string))
		}
	}
	return names
}

func filterAnswer(mode, path string, body map[string]any) any {
	failed, unresolvable := map[string]any{}, map[string]any{}
	kept := map[string]bool{}
	for _, n := range nodeNames(body) {
		b := bucket(path, n, 10)
		switch {
		case mode == "keep" || b < 4:
			kept[n] = mode != "reject"
			if mode == "reject" {
				failed[n] = "rejected by the extender"
			}
		case b < 6:
			failed[n] = "too small for the extender"
		case b < 7:
			failed[n] = "too busy, says the extender, 100%"
		case b < 8:
			unresolvable[n] = "never, says the extender"
		case b < 9:
			failed[n], unresolvable[n] = "perhaps", "not at all"
		}
	}
	names := []any{}
	for _, n := range nodeNames(body) {
		if kept[n] {
			names = append(names, n)
		}
	}
	if mode == "others" {
		failed["elsewhere"] = "not of this cluster"
		failed["n0"] = "said of any node"
	}
	if mode == "unknown" {
		names = append(names, "elsewhere")
	}
	answer := map[string]any{"FailedNodes": failed, "FailedAndUnresolvableNodes": unresolvable, "Error": ""}
	if body["NodeNames"] != nil {
		answer["NodeNames"] = names
	} else {
		items := []any{}
		for _, n := range body["Nodes"].(map[string]any)["items"].([]any) {
			if kept[n.(map[string]any)["metadata"].(map[string]any)["name"].(string)] {
				items = append(items, n)
			}
		}
		answer["Nodes"] = map[string]any{"items": items}
	}
	if mode == "small" {
		lower := map[string]any{"unknown": 1}
		for k, v := range answer {
			lower[strings.ToLower(k)] = v
		}
		return lower
	}
	return answer
}

func prioritizeAnswer(path string, body map[string]any) any {
	scores := []any{map[string]any{"Host": "elsewhere", "Score": 7}}
	for _, n := range nodeNames(body) {
		if b := bucket(path, n, 13); b < 11 {
			scores = append(scores, map[string]any{"Host": n, "Score": b})
		}
	}
	return scores
}

func preemptAnswer(mode, path string, body map[string]any) any {
	victims := map[string]any{}
	take := func(byNode any, uid func(pod map[string]any) any) {
		all, _ := byNode.(map[string]any)
		for n, v := range all {
			from := v.(map[string]any)
			pods := []any{}
			for _, p := range from["Pods"].([]any) {
				pods = append(pods, map[string]any{"UID": uid(p.(map[string]any))})
			}
			violations := from["NumPDBViolations"].(float64)
			b := bucket(path, n, 8)
			switch {
			case mode == "reject" || b == 0:
				continue
			case mode == "novictims" && b < 5:
				pods = []any{}
			case mode == "unknownpod":
				pods = []any{map[string]any{"UID": "nobody"}}
			case b < 4:
				pods = pods[:1]
			case b < 5:
				violations++
			}
			victims[n] = map[string]any{"Pods": pods, "NumPDBViolations": violations}
		}
	}
	take(body["NodeNameToVictims"], func(p map[string]any) any { return p["metadata"].(map[string]any)["uid"] })
	take(body["NodeNameToMetaVictims"], func(p map[string]any) any { return p["UID"] })
	if mode == "unknown" {
		victims = map[string]any{"elsewhere": map[string]any{"Pods": []any{}, "NumPDBViolations": 0}}
	}
	return map[string]any{"NodeNameToMetaVictims": victims}
}

// normalized leaves out what says nothing: kinds, which the objects of cases have and those of an API server's lists have not, and
// all that is empty.
func normalized(body map[string]any) map[string]any {
	sortByName := func(list []any) {
		sort.Slice(list, func(i, j int) bool { return nameOf(list[i]) < nameOf(list[j]) })
	}
	if names, ok := body["NodeNames"].([]any); ok {
		sortByName(names)
	}
	if nodes, ok := body["Nodes"].(map[string]any); ok {
		items, _ := nodes["items"].([]any)
		for _, n := range items {
			withoutKind(n)
		}
		sortByName(items)
	}
	withoutKind(body["Pod"])
	if byNode, ok := body["NodeNameToVictims"].(map[string]any); ok {
		for _, v := range byNode {
			for _, p := range v.(map[string]any)["Pods"].([]any) {
				withoutKind(p)
			}
		}
	}
	pruned, _ := prune(body).(map[string]any)
	return pruned
}

func nameOf(x any) string {
	if o, ok := x.(map[string]any); ok {
		return fmt.Sprint(o["metadata"].(map[string]any)["name"])
	}
	return fmt.Sprint(x)
}

func withoutKind(x any) {
	if o, ok := x.(map[string]any); ok {
		delete(o, "kind")
		delete(o, "apiVersion")
	}
}

func prune(x any) any {
	switch v := x.(type) {
	case map[string]any:
		kept := map[string]any{}
		for k, e := range v {
			if p := prune(e); p != nil {
				kept[k] = p
			}
		}
		if len(kept) == 0 {
			return nil
		}
		return kept
	case []any:
		kept := []any{}
		for _, e := range v {
			if p := prune(e); p != nil {
				kept = append(kept, p)
			}
		}
		if len(kept) == 0 {
			return nil
		}
		return kept
	case string:
		if v == "" {
			return nil
		}
	case float64:
		if v == 0 {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return x
}

// extend runs the extenders' filters, and records what they did to the feasible nodes.
func (w *world) extend(ex *Expect, pod *v1.Pod, feasible []fwk.NodeInfo) ([]fwk.NodeInfo, error) {
	statuses := framework.NewDefaultNodeToStatus()
	left, err := findNodesThatPassExtenders(w.ctx, w.sched.Extenders, pod, feasible, statuses)
	if err != nil {
		return nil, err
	}
	isLeft := map[string]bool{}
	ex.Feasible = []string{}
	for _, n := range left {
		isLeft[n.Node().Name] = true
		ex.Feasible = append(ex.Feasible, n.Node().Name)
	}
	for _, n := range feasible {
		if name := n.Node().Name; !isLeft[name] {
			out := *statusOut(statuses.Get(name))
			out.Plugin = framework.ExtenderName
			ex.Filter[name] = out
		}
	}
	return left, nil
}
