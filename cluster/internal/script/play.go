package script

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
	register.DoFn4x1[*sdf.ManualWatermarkEstimator, *sdf.LockRTracker, Config, func(beam.EventTime, string, remember.Request), sdf.ProcessContinuation](&playFn{})
	register.Emitter3[beam.EventTime, string, remember.Request]()
	beam.RegisterType(reflect.TypeFor[Config]())
}

// Play adds the script to a pipeline: a PCollection<KV<string, remember.Request>>,
// unbounded, in the order of arrival. After each hour the watermark moves to the
// next, whatever comes late, and at the end to infinity. The rate is that of events
// a second; 0 is as fast as can be.
func Play(s beam.Scope, c Config, rate int) beam.PCollection {
	return beam.ParDo(s.Scope("Play"), &playFn{Rate: rate}, beam.Create(s, c))
}

// Moment is a time of a script, which begins on some day of 2026.
func Moment(at time.Duration) time.Time {
	return time.Date(2026, 3, 14, 6, 0, 0, 0, time.UTC).Add(at)
}

// A playFn plays scripts. What it claims are the numbers of events.
type playFn struct {
	Rate int

	of     Config
	events []Event
}

// script is that of a configuration, which is made once.
func (f *playFn) script(c Config) []Event {
	if f.events == nil || f.of != c {
		f.of, f.events = c, c.Events()
	}
	return f.events
}

// CreateInitialRestriction is all of a script.
func (f *playFn) CreateInitialRestriction(c Config) offsetrange.Restriction {
	return offsetrange.Restriction{End: int64(len(f.script(c)))}
}

// SplitRestriction leaves a script whole: its parts have an order.
func (f *playFn) SplitRestriction(_ Config, r offsetrange.Restriction) []offsetrange.Restriction {
	return []offsetrange.Restriction{r}
}

// RestrictionSize is how many events are left.
func (f *playFn) RestrictionSize(_ Config, r offsetrange.Restriction) float64 { return r.Size() }

// CreateTracker tracks what is played.
func (f *playFn) CreateTracker(r offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(&tracker{offsetrange.NewTracker(r)})
}

// CreateWatermarkEstimator makes the watermark that ProcessElement moves.
func (f *playFn) CreateWatermarkEstimator() *sdf.ManualWatermarkEstimator {
	return &sdf.ManualWatermarkEstimator{State: Moment(-Late)}
}

// ProcessElement plays an hour, and is called again for the next.
func (f *playFn) ProcessElement(watermark *sdf.ManualWatermarkEstimator, rt *sdf.LockRTracker, c Config, emit func(beam.EventTime, string, remember.Request)) sdf.ProcessContinuation {
	events := f.script(c)
	next := rt.GetRestriction().(offsetrange.Restriction).Start
	hour := time.Duration(0)
	if next < int64(len(events)) {
		hour = events[next].Arrives.Truncate(time.Hour)
		watermark.UpdateWatermark(Moment(hour))
	}
	for rt.TryClaim(next) {
		if f.Rate > 0 {
			time.Sleep(time.Second / time.Duration(f.Rate)) // Flink does not wait between hours
		}
		e := events[next]
		emit(mtime.FromTime(Moment(e.At)), e.User, e.Request)
		next++
		if next < int64(len(events)) && events[next].Arrives >= hour+time.Hour {
			watermark.UpdateWatermark(Moment(events[next].Arrives.Truncate(time.Hour)))
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
