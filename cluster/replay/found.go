package replay

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"dejavu/experiments/replay"
	"dejavu/experiments/replay/replayer"
	"dejavu/measure/deal"
	"dejavu/workload/logs"
)

func init() {
	beam.RegisterType(reflect.TypeFor[found]())
	beam.RegisterCoder(reflect.TypeFor[replayer.Tally](), replayer.Tally.MarshalBinary, decodeTally)
}

// A found is what was found in some files of the log.
type found struct {
	Read logs.Counts

	// The first request: the time, and the number of its file and one more, 0 where there is none.
	Begin   int64
	BeginIn int

	Earliest int64 // time of all requests, where there is one

	// The first line that cannot be read, and its file likewise.
	Fault   logs.Fault
	FaultIn int
}

// plus is what was found in these files and in others.
func (f found) plus(g found) found {
	f.Read.Add(g.Read)
	if g.BeginIn > 0 && (f.BeginIn == 0 || g.Earliest < f.Earliest) {
		f.Earliest = g.Earliest
	}
	if g.BeginIn > 0 && (f.BeginIn == 0 || g.BeginIn < f.BeginIn) {
		f.Begin, f.BeginIn = g.Begin, g.BeginIn
	}
	if g.FaultIn > 0 && (f.FaultIn == 0 || g.FaultIn < f.FaultIn) {
		f.Fault, f.FaultIn = g.Fault, g.FaultIn
	}
	return f
}

// span is that of the log of which this is all, as far as files tell it, in the order
// of its times or of its files.
func (f found) span(order string) deal.Span {
	if order == replay.ByTime {
		f.Begin = f.Earliest
	}
	return deal.Span{First: f.Begin, Last: f.Begin}
}

func decodeTally(b []byte) (t replayer.Tally, err error) {
	err = t.UnmarshalBinary(b)
	return t, err
}

// A judgeFn lets the log pass, or says what is wrong with it.
type judgeFn struct{ Reading replay.Reading }

// ProcessElement judges what was found in all files.
func (fn *judgeFn) ProcessElement(f found) (found, error) {
	o, err := fn.Reading.Options()
	if err != nil {
		return f, err
	}
	if err := o.Judge(f.Read, f.Fault, o.Format); err != nil {
		return f, err
	}
	if f.BeginIn == 0 {
		return f, deal.ErrNoExposure
	}
	return f, nil
}
