package benchmark

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// resumeDelay keeps a watch that cannot be resumed from being tried in a tight loop.
const resumeDelay = 10 * time.Millisecond

// newInformerFactory makes informers for the benchmark's own look at the cluster. Its pod informer goes on where it was when the API server
// ends its watch as too slow. An informer as it comes waits one to four seconds first, and everything that was bound meanwhile would
// seem to be bound then, which is longer than many a workload takes.
func newInformerFactory(client kubernetes.Interface) informers.SharedInformerFactory {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.InformerFor(&v1.Pod{}, func(client kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
		pods := client.CoreV1().Pods(metav1.NamespaceAll)
		return cache.NewSharedIndexInformer(&cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				return pods.List(ctx, options)
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return watchResumed(ctx, options, pods.Watch)
			},
		}, &v1.Pod{}, resync, cache.Indexers{})
	})
	return factory
}

type watchFunc func(context.Context, metav1.ListOptions) (watch.Interface, error)

// resumedWatch is one watch to its reader, and one after the other to the API server.
type resumedWatch struct {
	cancel  context.CancelFunc
	results chan watch.Event
}

func watchResumed(ctx context.Context, options metav1.ListOptions, open watchFunc) (watch.Interface, error) {
	first, err := open(ctx, options)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &resumedWatch{cancel: cancel, results: make(chan watch.Event)}
	go w.run(ctx, first, options, open)
	return w, nil
}

func (w *resumedWatch) Stop() { w.cancel() }

func (w *resumedWatch) ResultChan() <-chan watch.Event { return w.results }

func (w *resumedWatch) run(ctx context.Context, current watch.Interface, options metav1.ListOptions, open watchFunc) {
	defer close(w.results)
	defer w.cancel()
	// Before the end of the initial events there is no version to resume at.
	initial := options.SendInitialEvents != nil && *options.SendInitialEvents
	for {
		ended := w.pass(ctx, current, &options, &initial)
		current.Stop()
		if ended || initial {
			return
		}
		options.SendInitialEvents = nil
		options.ResourceVersionMatch = ""
		for {
			var err error
			if current, err = open(ctx, options); err == nil {
				break
			}
			// A reader lists anew when its watch ends.
			if ctx.Err() != nil || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
				return
			}
			time.Sleep(resumeDelay)
		}
	}
}

// pass hands on the events of one watch and notes how far it came; true if there is to be no further one.
func (w *resumedWatch) pass(ctx context.Context, current watch.Interface, options *metav1.ListOptions, initial *bool) bool {
	for {
		select {
		case <-ctx.Done():
			return true
		case event, open := <-current.ResultChan():
			if !open {
				return false
			}
			if event.Type != watch.Error {
				if object, err := meta.Accessor(event.Object); err == nil {
					options.ResourceVersion = object.GetResourceVersion()
					if event.Type == watch.Bookmark && object.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
						*initial = false
					}
				}
			}
			select {
			case w.results <- event:
			case <-ctx.Done():
				return true
			}
			if event.Type == watch.Error {
				return true
			}
		}
	}
}
