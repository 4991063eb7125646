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

// memory is what processes take, in bytes: their own, and with that what they share with files and others.
type memory struct{ anonymous, resident int64 }

// family is a process and its children, as Linux lists them.
func (p *Process) family() (of []procfs.ProcStat, err error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		s, err := one.Stat()
		if err == nil && (s.PID == p.cmd.Process.Pid || s.PPID == p.cmd.Process.Pid) { // others may have ended
			of = append(of, s)
		}
	}
	return of, nil
}

// spent is the time that the server and its children have had of all processors.
func (p *Process) spent() (sum time.Duration) {
	of, _ := p.family() // memory has reported what is wrong
	for _, one := range of {
		sum += time.Duration(one.CPUTime() * float64(time.Second))
	}
	return sum
}

// memory is that of the server and its children.
func (p *Process) memory() (sum memory, err error) {
	of, err := p.family()
	for _, one := range of {
		proc, err := procfs.NewProc(one.PID)
		if err != nil {
			return sum, err
		}
		s, err := proc.NewStatus()
		if err != nil {
			return sum, err
		}
		sum.anonymous, sum.resident = sum.anonymous+int64(s.RssAnon), sum.resident+int64(s.VmRSS)
	}
	return sum, err
}
