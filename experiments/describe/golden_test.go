package describe

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"dejavu/experiments/golden"
	"dejavu/experiments/row"
	"dejavu/internal/sysinfo"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

// simulated is a log of so many users of a daily population.
func simulated(t *testing.T, c workload.DailyConfig, seed uint64, users int) []byte {
	t.Helper()
	population := strategytest.Value(workload.NewDailyOf(c, seed, users))
	return logtest.Text(logs.MIND, logs.Columns{}, logtest.Daily(population, 1573776000, logs.MIND)...)
}

// What is counted of a log of a single user, and the tables of a simulated one, with the
// population most like it, and how near that is.
func TestGolden(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("the fit takes ten times as long with the race detector, and holds no goroutines")
	}
	const single = "user,article,time,request\n1,1,1,\n1,2,100000,\n1,1,100001,\n1,2,100500,\n"
	var b strings.Builder
	few := described(t, []byte(single), Config{Session: 1200}, 2)
	counted(&b, few)
	for _, table := range Tables(few, nil) {
		fmt.Fprintf(&b, "%d lines of %s\n", len(table.Rows), table.Title)
	}
	c := workload.DefaultDaily()
	c.Sessions, c.Refreshes, c.Repeats = 3, 4, 0.3
	d := described(t, simulated(t, c, 11, 400), Config{Session: 1200}, 2)
	fit := strategytest.Value(FitDaily(d))
	for _, table := range Tables(d, &fit) {
		fmt.Fprintf(&b, "\n%s\n", table.Text())
	}
	golden.File(t, "described.golden", b.String())
}

// counted writes what is counted; of a histogram, what is not 0.
func counted(b *strings.Builder, d *Description) {
	for field, value := range reflect.ValueOf(*d).Fields() {
		switch counts := value.Interface().(type) {
		case []int64:
			histogram(b, field.Name, counts)
		case [][]int64:
			for i, of := range counts {
				fmt.Fprintf(b, "%s, rule %d: %d of %d\n", field.Name, i, row.Sum(of), d.Repeats)
			}
		case [33][33]int64:
			for i, of := range counts {
				if row.Sum(of[:]) != 0 {
					fmt.Fprintf(b, "octaves of %d: %d\n", i, of)
				}
			}
		default:
			fmt.Fprintf(b, "%s: %+v\n", field.Name, counts)
		}
	}
}

func histogram(b *strings.Builder, name string, counts []int64) {
	fmt.Fprintf(b, "%s:", name)
	for i, n := range counts {
		if n != 0 {
			fmt.Fprintf(b, " %d×%d", n, i)
		}
	}
	fmt.Fprintln(b)
}

// A time has the unit in which it is short.
func TestSecondsText(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 s", 119: "119 s", 120: "2 min", 7199: "120 min", 7200: "2 h", 48*3600 - 1: "48 h", 48 * 3600: "2 d",
		int(100 * 24 * time.Hour / time.Second): "100 d",
	} {
		strategytest.Equal(t, secondsText(n), want, "%d s are", n)
	}
}

// The least bin with the share behind it, not one more.
func TestQuantile(t *testing.T) {
	for p, want := range map[float64]int{0.01: 1, 0.25: 1, 0.26: 3, 0.75: 3, 0.76: 4, 1: 4} {
		strategytest.Equal(t, Quantile([]int64{0, 1, 0, 2, 1, 0}, p), want, "quantile %v is", p)
	}
	strategytest.Equal(t, Quantile([]int64{0, 0}, 0.5), 0, "of nothing")
}

// A population outside of what can be simulated is moved to the nearest that can.
func TestWithin(t *testing.T) {
	low, high := workload.DefaultDaily(), workload.DefaultDaily()
	low.Sessions, low.Sigma, low.Refreshes, low.Repeats, low.Octave = 0, -1, 0, -1, 0
	low.LeastPause, low.PauseMean, low.PerRefresh, low.Recalled = -1, -1, 0, 0
	high.Sessions, high.Sigma, high.Refreshes, high.Repeats, high.Octave = 1e6, 6, 1e6, 2, 1e6
	high.LeastPause, high.PauseMean, high.PerRefresh, high.Recalled = 1e6, 1e6, 1e6, 1e6
	some := workload.DefaultDaily()
	some.Sessions, some.Sigma, some.Refreshes = 12.34567, 1.234567, 123.4567
	some.Repeats, some.Octave = 0.0123456, 1.234567
	some.PerRefresh, some.Recalled = 7, 6
	var b strings.Builder
	for _, c := range []workload.DailyConfig{low, high, some} {
		if c = within(c); c.Validate() != nil {
			t.Error(c.Validate())
		}
		fmt.Fprintf(&b, "%+v\n", c)
	}
	golden.File(t, "within.golden", b.String())
}

// Too short a log, and the pauses of too few.
func TestFitPauses(t *testing.T) {
	c := workload.DefaultDaily()
	if mean, least := fitPauses([]int64{0, 9}, c); mean != c.PauseMean || least != c.LeastPause {
		t.Errorf("nine pauses are fitted: %d, %d", mean, least)
	}
	pauses := make([]int64, 100)
	pauses[20], pauses[50] = 5, 5
	if mean, least := fitPauses(pauses, c); mean != 27 || least != 13 {
		t.Errorf("quartiles of 20 and 50 are fitted with %d and %d, want 27 and 13", mean, least)
	}
}
