package measure

import (
	"context"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/prometheus/procfs"
	"golang.org/x/sync/errgroup"
)

// An outcome is what came of calls, in each of the turns.
type outcome struct {
	rates, costs []float64 // requests a second; microseconds of processors a request
	times        *hdrhistogram.Histogram
}

// ms is how long a share of the calls took at most, in milliseconds.
func (o *outcome) ms(percent float64) float64 { return float64(o.times.ValueAtQuantile(percent)) / 1e6 }

// ratio is the median of what two kinds had in the same turns.
func ratio(of, over []float64) float64 {
	ratios := make([]float64, len(of))
	for turn := range of {
		ratios[turn] = of[turn] / over[turn]
	}
	return median(ratios)
}

func median(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

// turn has callers make calls for a while, one after the other each, and adds what came of it. Each call is of so many
// requests; spent is the time of processors until now, and caller makes the calls of one.
func (o *outcome) turn(
	ctx context.Context, callers int, during time.Duration, requests int, spent func() time.Duration,
	caller func(i int) (call func() error),
) error {
	var group errgroup.Group
	histograms := make([]*hdrhistogram.Histogram, callers)
	before, began := spent(), time.Now()
	for i := range histograms {
		h := hdrhistogram.New(1000, int64(time.Minute), 3)
		histograms[i] = h
		group.Go(func() error {
			call := caller(i)
			for start := began; start.Sub(began) < during && ctx.Err() == nil; start = time.Now() {
				if err := call(); err != nil {
					return err
				}
				_ = h.RecordValue(int64(time.Since(start))) // a minute at most
			}
			return ctx.Err()
		})
	}
	err := group.Wait()
	took, cost := time.Since(began), spent()-before
	if err != nil {
		return err
	}
	if o.times == nil {
		o.times = hdrhistogram.New(1000, int64(time.Minute), 3)
	}
	calls := int64(0)
	for _, h := range histograms {
		calls += h.TotalCount()
		o.times.Merge(h)
	}
	all := float64(calls) * float64(requests)
	o.rates = append(o.rates, all/took.Seconds())
	o.costs = append(o.costs, cost.Seconds()*1e6/all)
	return nil
}

// memory is what a process takes, in bytes: its own, and with that what it shares with files and others.
type memory struct{ anonymous, resident int64 }

// spent returns the time that the server has had of all processors, 0 if it has ended.
func (p *Process) spent() time.Duration {
	of, err := procfs.NewProc(p.cmd.Process.Pid)
	if err != nil {
		return 0
	}
	s, _ := of.Stat()
	return time.Duration(s.CPUTime() * float64(time.Second))
}

// memory returns what the server takes.
func (p *Process) memory() (memory, error) {
	of, err := procfs.NewProc(p.cmd.Process.Pid)
	if err != nil {
		return memory{}, err
	}
	s, err := of.NewStatus()
	return memory{int64(s.RssAnon), int64(s.VmRSS)}, err
}
