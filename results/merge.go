package results

import (
	"bytes"
	"cmp"
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

	"dejavu/internal/plural"
)

// A Part is a directory to merge: a share of one run, or one of several whole runs.
type Part struct {
	Dir string
	Manifest
}

func (p Part) file() string { return filepath.Join(p.Dir, ManifestName) }

// Again says how to measure the part again.
func (p Part) Again() string {
	return fmt.Sprintf("to redo only this, run the command that measured shard %v: experiments %s",
		p.Shard, strings.Join(p.Args, " "))
}

const sharePrefix = "shard-"

// Dir returns the directory of a share's files in its run's directory out, and out itself for a whole run.
func (s Shard) Dir(out string) string {
	if s == (Shard{}) {
		return out
	}
	return filepath.Join(out, fmt.Sprintf("%s%d-of-%d", sharePrefix, s.Index, s.Of))
}

// ErrParts is returned by Parts if there is nothing to merge.
var ErrParts = errors.New("nothing to merge")

// Parts returns the parts of a run to merge: the whole runs in several directories, or else the shares in the
// directories or in their subdirectories. It does not check that they belong together.
func Parts(dirs []string) ([]Part, error) {
	var runs, shares []Part
	var without error
	for _, dir := range dirs {
		self, held, err := partsIn(dir)
		switch {
		case err != nil:
			return nil, err
		case self.Shard.Of > 0:
			held = []Part{self}
		case self.Started != "":
			runs = append(runs, self)
		}
		if held == nil {
			without = fmt.Errorf("%w: no shares in %s ('run --shard' makes them); whole runs are merged if several are named",
				ErrParts, dir)
		}
		shares = append(shares, held...)
	}
	if len(runs) == len(dirs) && len(runs) > 1 {
		return runs, nil
	}
	return shares, without
}

// partsIn returns the part in a directory, and the parts in its shares' directories.
func partsIn(dir string) (self Part, held []Part, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return self, nil, fmt.Errorf("%w: %w", ErrParts, err)
	}
	self.Dir = dir
	if self.Manifest, err = ReadManifest(dir); err != nil {
		return self, nil, err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), sharePrefix) {
			continue
		}
		part := Part{Dir: filepath.Join(dir, e.Name())}
		if part.Manifest, err = ReadManifest(part.Dir); err != nil {
			return self, nil, err
		}
		held = append(held, part)
	}
	return self, held, nil
}

// apart lists how a part differs from the first one's run, and what failed in it.
func (p Part) apart(first Part) (faults []error) {
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: %w", p.file(), fmt.Errorf(format, args...)))
	}
	mine, other := p.Manifest, first.Manifest
	mine.Shard, other.Shard = Shard{Of: mine.Shard.Of}, Shard{Of: other.Shard.Of}
	mine.Runs, other.Runs = nil, nil
	if why := mine.Differs(other); why != "" {
		fault("%s as in %s", why, first.file())
	}
	for _, f := range []struct{ what, got, want string }{
		{"program", p.Program, first.Program},
		{"experiments", strings.Join(p.Names(), " "), strings.Join(first.Names(), " ")},
	} {
		if f.got != f.want {
			fault("%s is %q, not %q as in %s", f.what, f.got, f.want, first.file())
		}
	}
	if err := p.Failures(); err != nil {
		fault("%w", err)
	}
	return faults
}

// CheckShares checks that parts are the shares of one run of this program, each once, and orders them.
func CheckShares(parts []Part, program string) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	at := map[Shard]string{}
	var first Part
	for _, p := range parts {
		if p.Shard.Of == 0 {
			fault("%s is missing: the shard is not finished; the command that began it goes on from there", p.file())
			continue
		}
		if first.Dir == "" {
			first = p
		}
		faults = append(faults, p.apart(first)...)
		if p.Program != program || program == "" {
			fault("%s: program is %q, but this one is %q: another build. 'go build -trimpath' makes the same of the same "+
				"source anywhere; merge with the build that measured, or measure again", p.file(), p.Program, program)
		}
		if other, ok := at[p.Shard]; ok {
			fault("%s: shard %v is in %s already", p.file(), p.Shard, other)
		}
		at[p.Shard] = p.Dir
	}
	for i := range first.Shard.Of {
		if s := (Shard{i, first.Shard.Of}); len(faults) == 0 && at[s] == "" {
			args := strings.ReplaceAll(strings.Join(first.Args, " "), first.Shard.String(), s.String())
			faults = append(faults, fmt.Errorf("shard %v is missing: 'experiments %s' measures it", s, args))
		}
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.Shard.Index, b.Shard.Index) })
	return errors.Join(faults...)
}

// leastPooled is the fewest runs of a pool: of two, the interval would be eleven times their distance wide.
const leastPooled = 3

// A Pool combines runs of one program with the same deterministic rows. Their times show how far runs differ.
type Pool struct {
	Manifest Manifest // the first run's, and in Runs when each of them started

	first  string // its directory
	rows   []Row
	timing map[string][]Row // by experiment
}

// NewPool pools finished runs of equal users, seed, program and machine, with intact files. The error lists all faults.
func NewPool(parts []Part) (Pool, error) {
	if len(parts) < leastPooled {
		return Pool{}, fmt.Errorf("%d whole runs, want %d or more to tell how far runs lie apart", len(parts), leastPooled)
	}
	first := parts[0]
	p := Pool{Manifest: first.Manifest, first: first.Dir, timing: map[string][]Row{}}
	p.Manifest.Runs = nil
	var timings [][]Row
	var faults []error
	for _, part := range parts {
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Errorf("%s: %w", part.Dir, fmt.Errorf(format, args...)))
		}
		faults = append(faults, part.apart(first)...)
		if part.Runs != nil {
			fault("pooled of %s already: name those instead", plural.Of(len(part.Runs), "run", "runs"))
		}
		if part.Commit != first.Commit || len(part.Shards) != len(first.Shards) || !part.Environment.Same(first.Environment) {
			shards := func(m Part) string { return plural.Of(len(m.Shards), "shard", "shards") }
			fault("commit %s, %s, on %v; the first run is of commit %s, %s, on %v", part.Commit, shards(part),
				part.Environment, first.Commit, shards(first), first.Environment)
		}
		if slices.Contains(p.Manifest.Runs, part.Started) {
			fault("the run that started at %s is there already", part.Started)
		}
		p.Manifest.Runs = append(p.Manifest.Runs, part.Started)
		for _, err := range Faults(part.Dir, part.Manifest) {
			fault("%w", err)
		}
		run, err := ReadDir(part.Dir)
		if err != nil {
			return p, err
		}
		run.DropUnfinished()
		if timings == nil {
			p.rows = run.Rows
		}
		timings = append(timings, run.Timing)
		for _, s := range first.Experiments {
			name := FileName(s.Name)
			want, _ := os.ReadFile(filepath.Join(first.Dir, name))
			if got, err := os.ReadFile(filepath.Join(part.Dir, name)); err == nil && !bytes.Equal(got, want) {
				fault("%s: values that follow from the seed are not those in %s", name, first.Dir)
			}
		}
		if !slices.EqualFunc(run.Timing, timings[0], func(a, b Row) bool { return a.Name() == b.Name() }) {
			fault("timings are not of the same names as in %s", first.Dir)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return p, err
	}
	for i, row := range timings[0] {
		same := make([]Row, len(timings))
		for j := range timings {
			same[j] = timings[j][i]
		}
		p.timing[row.Experiment] = append(p.timing[row.Experiment], pooled(same))
	}
	return p, nil
}

// pooled combines a row of several runs: the geometric mean, and an interval that contains the value of one more run
// in 95 of 100 cases: t·s·sqrt(1 + 1/n) to either side of the mean of the logarithms, s being their standard deviation
// and t Student's with n - 1 degrees of freedom (Hahn and Meeker, Statistical Intervals, 1991, section 4.7). If all
// runs agree, it returns the first one's row; if a value is not above zero, the median, without an interval.
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

// Write writes the pool into a directory like a run, the manifest last, and returns it.
func (p Pool) Write(dir string) (*Run, error) {
	run := &Run{Rows: p.rows}
	p.Manifest.Experiments = slices.Clone(p.Manifest.Experiments)
	for i, s := range p.Manifest.Experiments {
		values, err := os.ReadFile(filepath.Join(p.first, FileName(s.Name)))
		if err != nil {
			return nil, err
		}
		header, _, _ := strings.Cut(string(values), "\n")
		names, err := dimensionsOf(strings.Split(header, ","))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", FileName(s.Name), err)
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
			return nil, err
		}
		run.Timing = append(run.Timing, AsWritten(p.timing[s.Name])...)
	}
	run.Manifest = p.Manifest
	return run, WriteManifest(dir, p.Manifest)
}
