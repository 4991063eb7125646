package results

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// LeastPooled is how many runs a pool needs: from two the interval would reach eleven times as far as
// they lie apart, to either side.
const LeastPooled = 3

// A Pool is several runs of one program in one. They have the same deterministic rows, and tell of the others what no
// single run knows: how far one run lies from the next.
type Pool struct {
	Manifest Manifest // the first run's, and in Runs when each of them started

	values map[string][]byte // by experiment, the file of its deterministic rows
	timing map[string][]Row
}

// NewPool pools the finished runs in these directories. It refuses those of other users, another seed, program or
// machine than the first, and files that are not as they were written; the error says all that is wrong.
func NewPool(dirs []string) (Pool, error) {
	if len(dirs) < LeastPooled {
		return Pool{}, fmt.Errorf("%d runs, want %d or more to tell how far runs lie apart", len(dirs), LeastPooled)
	}
	p := Pool{values: map[string][]byte{}, timing: map[string][]Row{}}
	var runs []*Run
	var faults []error
	for _, dir := range dirs {
		run, err := ReadDir(dir)
		if err != nil {
			return p, err
		}
		run.DropUnfinished()
		runs = append(runs, run)
		m, first := run.Manifest, runs[0].Manifest
		wrong := append(Faults(dir, m), m.Failures(), m.unpoolable(first))
		if slices.Contains(p.Manifest.Runs, m.Started) {
			wrong = append(wrong, fmt.Errorf("the run that started at %s is there already", m.Started))
		}
		for _, s := range first.Experiments {
			values, err := os.ReadFile(filepath.Join(dir, FileName(s.Name)))
			if seen, ok := p.values[s.Name]; !ok {
				p.values[s.Name] = values
			} else if err == nil && string(values) != string(seen) {
				err = fmt.Errorf("%s: values that follow from the seed are not those in %s", FileName(s.Name), dirs[0])
			}
			wrong = append(wrong, err)
		}
		if !slices.EqualFunc(run.Timing, runs[0].Timing, func(a, b Row) bool { return a.Name() == b.Name() }) {
			wrong = append(wrong, fmt.Errorf("timings are not of the same names as in %s", dirs[0]))
		}
		if err := errors.Join(wrong...); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", dir, err))
		}
		p.Manifest.Runs = append(p.Manifest.Runs, m.Started)
	}
	if faults != nil {
		return p, errors.Join(faults...)
	}
	started := p.Manifest.Runs
	p.Manifest, p.Manifest.Runs = runs[0].Manifest, started
	for i, row := range runs[0].Timing {
		same := make([]Row, len(runs))
		for j, run := range runs {
			same[j] = run.Timing[i]
		}
		p.timing[row.Experiment] = append(p.timing[row.Experiment], pooled(same))
	}
	return p, nil
}

// unpoolable says in what a run differs from the first one, other than its moment.
func (m Manifest) unpoolable(first Manifest) error {
	var faults []error
	differ := func(what string, got, want any) {
		if got != want {
			faults = append(faults, fmt.Errorf("%s is %v, but %v in the first run", what, got, want))
		}
	}
	switch why := m.Differs(first); {
	case m.Started == "" || m.Shard != Shard{}:
		return errors.New("no finished run of all users")
	case m.Runs != nil:
		return fmt.Errorf("pooled of %d runs already: name those instead", len(m.Runs))
	case why != "":
		faults = append(faults, errors.New(why))
	}
	differ("commit", m.Commit, first.Commit)
	differ("program", m.Program, first.Program)
	differ("experiments", strings.Join(m.Names(), " "), strings.Join(first.Names(), " "))
	differ("number of shards merged", len(m.Shards), len(first.Shards))
	if !m.Environment.Same(first.Environment) {
		differ("machine", m.Environment.String(), first.Environment.String())
	}
	return errors.Join(faults...)
}

// pooled is a row of several runs as one: the geometric mean, and from Low to High where the value of one more run lies
// in 95 of 100 cases. That is t·s·sqrt(1 + 1/n) to either side of the mean of the logarithms, s being their standard
// deviation and t Student's of n - 1 degrees of freedom; for five runs 3.04 s (Hahn and Meeker, Statistical Intervals,
// 1991, section 4.7). It takes logarithms to be normal, and runs to be independent.
//
// Where all runs agree to the last digit, as clocks tick, the row is the first one's. Where a value is not above zero,
// a pause that did not happen, it is the median, without an interval.
func pooled(runs []Row) Row {
	row, n := runs[0], float64(len(runs))
	var logs, values []float64
	for _, r := range runs {
		v := r.Value.Or(0)
		logs, values = append(logs, math.Log(v)), append(values, v)
		row.Count = min(row.Count, r.Count)
	}
	switch least, most := slices.Min(values), slices.Max(values); {
	case least == most:
	case least <= 0:
		slices.Sort(values)
		row.Value, row.Low, row.High = Num(values[len(values)/2]), Number{}, Number{}
	default:
		mean, deviation := stat.MeanStdDev(logs, nil)
		t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975)
		reach := t * deviation * math.Sqrt(1+1/n)
		row.Value, row.Low, row.High = Num(math.Exp(mean)), Num(math.Exp(mean-reach)), Num(math.Exp(mean+reach))
	}
	return row
}

// Write writes the pool into a directory as a run is, the manifest last.
func (p Pool) Write(dir string) error {
	p.Manifest.Experiments = slices.Clone(p.Manifest.Experiments)
	for i, s := range p.Manifest.Experiments {
		values := p.values[s.Name]
		header, _, _ := strings.Cut(string(values), "\n")
		names, err := dimensionsOf(strings.Split(header, ","))
		if err != nil {
			return fmt.Errorf("%s: %w", FileName(s.Name), err)
		}
		var dimensions []Dimension
		for _, name := range names {
			dimensions = append(dimensions, Dimension{Name: name})
		}
		err = errors.Join(
			Replace(filepath.Join(dir, FileName(s.Name)), func(w io.Writer) error { _, err := w.Write(values); return err }),
			WriteFile(filepath.Join(dir, TimingFileName(s.Name)), dimensions, p.timing[s.Name]))
		if err == nil {
			p.Manifest.Experiments[i].Files, err = Sums(dir, s.Name)
		}
		if err != nil {
			return err
		}
	}
	return WriteManifest(dir, p.Manifest)
}
