package remember_test

import (
	"reflect"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"dejavu/cluster/remember"
)

func init() {
	register.DoFn4x1[
		*sdf.ManualWatermarkEstimator, *sdf.LockRTracker, script, func(beam.EventTime, string, remember.Request),
		sdf.ProcessContinuation,
	](&playFn{})
	beam.RegisterType(reflect.TypeFor[script]())
}

// play adds a script to a pipeline: a PCollection<KV<string, remember.Request>>,
// unbounded, in the order of arrival. After each hour the watermark moves to the
// next, whatever comes late, and at the end to infinity.
func play(s beam.Scope, c script) beam.PCollection {
	return beam.ParDo(s.Scope("Play"), &playFn{}, beam.Create(s, c))
}

// A playFn plays scripts. What it claims are the numbers of events.
type playFn struct {
	of     script
	events []arrival // of that one
}

// script is that of a configuration, which is made once.
func (f *playFn) script(c script) []arrival {
	if f.events == nil || f.of != c {
		f.of, f.events = c, c.events()
	}
	return f.events
}

// CreateInitialRestriction is all of a script.
func (f *playFn) CreateInitialRestriction(c script) offsetrange.Restriction {
	return offsetrange.Restriction{End: int64(len(f.script(c)))}
}

// SplitRestriction leaves a script whole: its parts have an order.
func (f *playFn) SplitRestriction(_ script, r offsetrange.Restriction) []offsetrange.Restriction {
	return []offsetrange.Restriction{r}
}

// RestrictionSize is how many events are left.
func (f *playFn) RestrictionSize(_ script, r offsetrange.Restriction) float64 { return r.Size() }

// CreateTracker tracks what is played.
func (f *playFn) CreateTracker(r offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(&tracker{offsetrange.NewTracker(r)})
}

// CreateWatermarkEstimator makes the watermark that ProcessElement moves.
func (f *playFn) CreateWatermarkEstimator() *sdf.ManualWatermarkEstimator {
	return &sdf.ManualWatermarkEstimator{State: moment(-maxLate)}
}

// ProcessElement plays an hour, and is called again for the next.
func (f *playFn) ProcessElement(
	watermark *sdf.ManualWatermarkEstimator, rt *sdf.LockRTracker, c script,
	emit func(beam.EventTime, string, remember.Request),
) sdf.ProcessContinuation {
	events := f.script(c)
	next := rt.GetRestriction().(offsetrange.Restriction).Start
	hour := time.Duration(0)
	if next < int64(len(events)) {
		hour = events[next].arrives.Truncate(time.Hour)
		watermark.UpdateWatermark(moment(hour))
	}
	for rt.TryClaim(next) {
		e := events[next]
		emit(mtime.FromTime(moment(e.at)), e.user, e.request)
		next++
		if next < int64(len(events)) && events[next].arrives >= hour+time.Hour {
			watermark.UpdateWatermark(moment(events[next].arrives.Truncate(time.Hour)))
			return sdf.ResumeProcessingIn(0)
		}
	}
	return sdf.StopProcessing()
}

// A tracker divides what is left from what is done, as one asks for who goes on
// later, and nothing else: its parts have an order.
type tracker struct{ *offsetrange.Tracker }

// TrySplit divides a restriction where it stands.
func (t *tracker) TrySplit(fraction float64) (primary, residual any, err error) {
	if fraction > 0 {
		return t.GetRestriction(), nil, nil
	}
	return t.Tracker.TrySplit(fraction)
}
