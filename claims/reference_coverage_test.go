package claims

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/results"
)

// A coverage is how many intervals there are, and how many hold their theory.
type coverage struct{ rows, hold int }

func (c *coverage) count(holds bool) {
	c.rows++
	if holds {
		c.hold++
	}
}

func (c *coverage) add(other coverage) {
	c.rows += other.rows
	c.hold += other.hold
}

// judged is how many counts of intervals are: three experiments of the run of ten million
// users, and one of the run of 20,000.
const judged = 4

// share is the range of how many of the intervals hold their theory if each does so with
// a chance of 95 %, independently: that of 99 % for so many counts together (Bonferroni).
func (c coverage) share(counts float64) (least, most int) {
	b, tail := distuv.Binomial{N: float64(c.rows), P: 0.95}, 0.005/counts
	for b.CDF(float64(least)) < tail {
		least++
	}
	for most = c.rows; b.Survival(float64(most-1)) < tail; most-- {
	}
	return least, most
}

// coverages are those of one experiment, or of several together.
type coverages struct {
	normal  coverage // value ± 1.96 standard errors
	certain coverage // exact, where theory leaves nothing to chance
	few     coverage // exact, of few hits or misses
}

// enough rows let the binomial range say something.
const enoughRows = 200

// ofRows are the coverages by experiment. Experiments of fewer than enoughRows normal
// intervals are one, "the others". width stretches every interval, to plant a fault.
//
// Exact intervals (Clopper and Pearson) stand where hits or misses are fewer than 30. They hold the truth at least
// 95 times in 100 and are counted apart: hits are whole numbers, so that they cover more, and where the truth is 0
// or 1 always. More than half of the intervals of window are such, since an article inside the window is recognised
// for certain, which is why all of them together hold theory 98 times in 100; its other intervals hold it 95 times.
func ofRows(rows []results.Row, width float64) map[string]*coverages {
	of := map[string]*coverages{}
	for _, r := range rows {
		value, v := r.Value.Get()
		theory, t := r.Theory.Get()
		low, l := r.Low.Get()
		high, h := r.High.Get()
		// Probe schemes in hashes are there because they are biased.
		if !v || !t || !l || !h || r.Unit != results.Ratio || r.Experiment == results.Hashes {
			continue
		}
		if of[r.Experiment] == nil {
			of[r.Experiment] = new(coverages)
		}
		n := float64(r.Count)
		holds := value-width*(value-low) <= theory && theory <= value+width*(high-value)
		switch c := of[r.Experiment]; {
		case min(value, 1-value)*n >= normalHits-0.5:
			c.normal.count(holds)
		case min(theory, 1-theory)*n < 0.025:
			c.certain.count(holds)
		default:
			c.few.count(holds)
		}
	}
	const others = "the others"
	together := new(coverages)
	for _, name := range slices.Sorted(maps.Keys(of)) {
		c := of[name]
		if c.normal.rows >= enoughRows {
			continue
		}
		together.normal.add(c.normal)
		together.certain.add(c.certain)
		together.few.add(c.few)
		delete(of, name)
	}
	of[others] = together
	return of
}

// faults are the experiments whose intervals hold theory too seldom or too often.
func faults(of map[string]*coverages) (faults []string) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		c := of[name]
		least, most := c.normal.share(judged)
		if n := c.normal; n.rows >= enoughRows && (n.hold < least || n.hold > most) {
			faults = append(faults, fmt.Sprintf("%s: %d of %d intervals hold theory, want %d to %d",
				name, n.hold, n.rows, least, most))
		}
		for what, exact := range map[string]coverage{"certain": c.certain, "few": c.few} {
			if least, _ := exact.share(judged); exact.hold < least {
				faults = append(faults, fmt.Sprintf("%s, %s: %d of %d exact intervals hold theory, want %d or more",
					name, what, exact.hold, exact.rows, least))
			}
		}
	}
	return faults
}

// The intervals of the committed runs hold their theory as often as 95 % intervals do. Of
// one sound program in a hundred one of the counts lies outside by chance.
func TestReferenceCoverage(t *testing.T) {
	for _, users := range []int{10_000_000, 20_000} {
		rows := reference(t, users).Rows
		of := ofRows(rows, 1)
		for _, fault := range faults(of) {
			t.Errorf("%d users: %s", users, fault)
		}
		tried := 0
		for _, name := range slices.Sorted(maps.Keys(of)) {
			c := of[name]
			least, most := c.normal.share(judged)
			t.Logf("%d users, %s: %d of %d hold theory (%d to %d); exact %d of %d, certain %d of %d",
				users, name, c.normal.hold, c.normal.rows, least, most, c.few.hold, c.few.rows, c.certain.hold, c.certain.rows)
			if c.normal.rows >= enoughRows {
				tried++
			}
		}
		if want := map[int]int{10_000_000: 3, 20_000: 1}[users]; tried < want {
			t.Errorf("%d users: %d experiments have %d intervals or more, want %d", users, tried, enoughRows, want)
		}
		// Planted: all intervals too narrow by a quarter, or too wide by half.
		for _, width := range []float64{0.75, 1.5} {
			if found := faults(ofRows(rows, width)); len(found) < tried {
				t.Errorf("%d users, %v times as wide: found in %d of %d experiments: %q", users, width, len(found), tried, found)
			}
		}
	}
}

// What is said of window: why its intervals, all of them together, cover more.
func TestWindowCoversMore(t *testing.T) {
	c := ofRows(reference(t, 10_000_000).Rows, 1)[results.Window]
	all, hold := c.normal.rows+c.certain.rows+c.few.rows, c.normal.hold+c.certain.hold+c.few.hold
	if 2*c.certain.rows <= all || c.certain.hold != c.certain.rows || math.Round(100*float64(hold)/float64(all)) != 98 {
		t.Errorf("%d of %d are certain, %d of them hold; of all %d hold", c.certain.rows, all, c.certain.hold, hold)
	}
}

// independent reports whether a rate's interval is that of independent queries (Clopper and Pearson) although hits and
// misses are many: so it is where one is made of fewer than 30 clusters, and how they differ is not known.
func independent(r results.Row) bool {
	value, v := r.Value.Get()
	low, l := r.Low.Get()
	high, h := r.High.Get()
	n := float64(r.Count)
	hits := math.Round(value * n)
	if !v || !l || !h || r.Unit != results.Ratio || value > 1 || min(hits, n-hits) < normalHits {
		return false
	}
	exactLow := distuv.Beta{Alpha: hits, Beta: n - hits + 1}.Quantile(0.025)
	exactHigh := distuv.Beta{Alpha: hits + 1, Beta: n - hits}.Quantile(0.975)
	return math.Abs(low-exactLow) < 1e-4*(high-low) && math.Abs(high-exactHigh) < 1e-4*(high-low)
}

// No row of a committed run has an interval of clustered queries from fewer than 30 clusters. With exact intervals of
// few hits, whose clusters a row does not tell, package measure sees to it.
func TestNoIntervalOfFewClusters(t *testing.T) {
	rates := 0
	for _, users := range []int{10_000_000, 20_000} {
		for _, r := range reference(t, users).Rows {
			if r.Unit == results.Ratio && r.Low.IsSet() {
				rates++
			}
			if independent(r) {
				t.Errorf("%d users: %v is %v to %v of %d, as if all of them were independent",
					users, r.Name(), r.Low, r.High, r.Count)
			}
		}
	}
	if rates < 2000 {
		t.Errorf("%d rates have an interval: are they gone?", rates)
	}
	// Planted: two filters of 8000 queries each, as R7d once had them.
	planted := results.Row{Unit: results.Ratio, Value: results.Num(0.042), Count: 16_000}
	planted.Low = results.Num(distuv.Beta{Alpha: 672, Beta: 16_000 - 672 + 1}.Quantile(0.025))
	planted.High = results.Num(distuv.Beta{Alpha: 673, Beta: 16_000 - 672}.Quantile(0.975))
	if !independent(planted) {
		t.Error("an interval of two clusters is not found")
	}
}
