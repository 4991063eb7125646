package describe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/text"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
	"dejavu/workload/logs"
)

func described(t *testing.T, log []byte, c Config, workers int) *Description {
	t.Helper()
	o := logs.Options{Numbered: true, Columns: logs.Columns{Request: "request"}}
	l := strategytest.Value(logs.New(bytes.NewReader(log), "log", o))
	defer l.Close()
	return strategytest.Value(c.Run(context.Background(), l, measure.Options{Workers: workers}))
}

// A log counted by hand.
func TestDescribeByHand(t *testing.T) {
	const csv = "user,article,time,request\n" +
		"1,10,1000,a\n1,11,1000,a\n1,11,1000,a\n" + // the second 11 is twice in its request
		"2,10,1001,c\n" +
		"1,12,1060,d\n" + // 60 s later, the same session
		"1,10,5060,e\n" + // 4000 s later, another; 10 is 3 ago, of 4060 s
		"1,11,91460,f\n" + // 24 h later; 11 is 3 ago
		"1,11,91459,g\n" // back in time, in that refresh: 11 is 1 ago
	d := described(t, []byte(csv), Config{}, 2)
	are := func(what string, got, want []int64) {
		t.Helper()
		strategytest.EqualSlices(t, got, want, "%s", what)
	}
	are("users, requests, exposures, twice", []int64{d.Users, d.Requests, d.Exposures, d.Twice}, []int64{2, 6, 7, 1})
	are("refreshes, sessions, backwards", []int64{d.Refreshes, d.Sessions, d.Backwards}, []int64{5, 4, 1})
	are("repeats and open", []int64{d.Repeats, d.Open}, []int64{3, 4})
	are("ages", d.Ages[:4], []int64{0, 1, 0, 2})
	are("seconds", []int64{d.Seconds[0], d.Seconds[deal.Fine.Bin(4060)], d.Seconds[deal.Fine.Bin(90460)]},
		[]int64{1, 1, 1})
	are("octaves", []int64{d.Octaves[2][1], d.Octaves[3][1], d.Octaves[3][0]}, []int64{1, 1, 1})
	are("pauses of a minute, long gaps", []int64{d.Pauses[60], d.LongGaps, d.LongAway}, []int64{1, 1, 1})
	are("gaps", []int64{d.Gaps[deal.Fine.Bin(4000)], d.Gaps[deal.Fine.Bin(86400)]}, []int64{1, 1})
	are("refreshes of sessions", d.PerSession[:3], []int64{0, 3, 1})
	are("articles of refreshes", d.PerRefresh[:3], []int64{0, 3, 2})
	are("sessions of users", d.SessionsOf[:4], []int64{0, 1, 0, 1})
	for session, want := range map[int]int64{59: 5, 60: 4, 3999: 4, 4000: 3, 86400: 2} {
		strategytest.Equal(t, described(t, []byte(csv), Config{Session: session}, 1).Sessions, want,
			"sessions at most %d s apart", session)
	}
	want := Skew{N: 2, Sum: 7, Quantiles: [...]int64{1, 1, 6, 6, 6, 6}, Once: 1, Top: 6, Gini: 2*13./14 - 1.5}
	strategytest.Near(t, d.PerUser.Gini, want.Gini, 1e-12, "Gini")
	d.PerUser.Gini = want.Gini
	strategytest.Equal(t, d.PerUser, want, "users")
	if a := d.PerArticle; a.N != 3 || a.Sum != 7 || a.Once != 1 || a.Top != 3 {
		t.Errorf("articles %+v", a)
	}
}

// Counts of 4095 and more share a bin. An article shown again within the second, or earlier by the clock, is a repeat
// in the same refresh. No exposures, and too long a session, are errors.
func TestDescribeAtTheEdges(t *testing.T) {
	var long strings.Builder
	long.WriteString("user,article,time,request\n")
	article := 0
	refresh := func(user, articles, at int, request string) {
		for range articles {
			article++
			fmt.Fprintf(&long, "%d,%d,%d,%s\n", user, article, at, request)
		}
	}
	refresh(1, 4094, 1000, "a")
	refresh(2, 4095, 2000, "b")
	refresh(3, 4096, 3000, "c")
	for i := range 4096 { // refreshes of one session
		refresh(4, 1, 4000+i, fmt.Sprintf("d%d", i))
	}
	for i := range 4096 { // sessions
		refresh(5, 1, 10_000+100_000*i, fmt.Sprintf("e%d", i))
	}
	d := described(t, []byte(long.String()), Config{}, 1)
	last := []int64{d.PerRefresh[4094], d.PerRefresh[4095], d.PerSession[4095], d.SessionsOf[4095]}
	strategytest.EqualSlices(t, last, []int64{1, 2, 1, 1}, "in the last bins")
	const log = "user,article,time,request\n1,1,1000,a\n1,1,1000,b\n1,1,999,c\n1,1,1001,d\n"
	same := described(t, []byte(log), Config{}, 1)
	if same.Refreshes != 2 || same.Repeats != 3 || same.Seconds[0] != 2 || same.Seconds[2] != 1 {
		t.Errorf("%d refreshes and %d repeats, %v", same.Refreshes, same.Repeats, same.Seconds[:3])
	}
	for _, session := range []int{1, 86400} { // the ends of what it can be
		const log = "user,article,time,request\n1,1,1000,a\n1,1,1001,b\n1,1,1003,c\n"
		d := described(t, []byte(log), Config{Session: session}, 1)
		if d.Session != session || d.Sessions != map[int]int64{1: 2, 86400: 1}[session] {
			t.Errorf("with pauses of up to %d s: %d sessions", session, d.Sessions)
		}
	}
	for _, c := range []struct {
		log, want string
		c         Config
	}{
		{"user,article,time\n", "no exposure", Config{}},
		{"user,article,time\n1,1,1\n", "Session is -1, want 1 to 86400 seconds", Config{Session: -1}},
		{"user,article,time\n1,1,1\n", "Session is 86401, want 1 to 86400 seconds", Config{Session: 86401}},
	} {
		l := strategytest.Value(logs.New(strings.NewReader(c.log), "log", logs.Options{Numbered: true}))
		_, err := c.c.Run(t.Context(), l, measure.Options{Workers: 1})
		strategytest.ErrorSays(t, fmt.Sprintf("%q", c.log), err, c.want)
		l.Close()
	}
}

// Fitting a population's log returns the population: within ten in a hundred (chance makes below one), sigma within
// 0.1.
func TestFitFindsThePopulation(t *testing.T) {
	users := 5000
	if testing.Short() || sysinfo.RaceDetector {
		users = 4000
	}
	other := workload.DefaultDaily()
	other.Sessions, other.Sigma, other.Refreshes, other.LeastPause, other.PauseMean = 1.5, 0.6, 5, 20, 100
	other.PerRefresh, other.Recalled, other.Repeats, other.Octave = 5, 8, 0.3, 0.8
	populations := []workload.DailyConfig{workload.DefaultDaily(), other}
	if sysinfo.RaceDetector {
		populations = populations[:1]
	}
	for _, c := range populations {
		log := simulated(t, c, 7, users)
		d := described(t, log, Config{}, 2)
		strategytest.DeepEqual(t, described(t, log, Config{}, 5), d, "five workers count otherwise than two")
		fit := strategytest.Value(FitDaily(d))
		t.Logf("%+v", fit)
		got := fit.Population
		strategytest.Near(t, got.Sessions, c.Sessions, 0.1*c.Sessions, "Sessions")
		strategytest.Near(t, got.Sigma, c.Sigma, 0.1, "Sigma")
		strategytest.Near(t, got.Refreshes, c.Refreshes, 0.1*c.Refreshes, "Refreshes")
		strategytest.Near(t, float64(got.LeastPause), float64(c.LeastPause), 2, "LeastPause")
		strategytest.Near(t, float64(got.PauseMean), float64(c.PauseMean), 0.1*float64(c.PauseMean), "PauseMean")
		strategytest.Equal(t, got.Recalled, c.Recalled, "Recalled")
		strategytest.Equal(t, got.PerRefresh, c.PerRefresh, "PerRefresh")
		strategytest.Near(t, got.Repeats, c.Repeats, 0.03*c.Repeats, "Repeats")
		strategytest.Near(t, got.Octave, c.Octave, 0.1, "Octave")
		strategytest.Near(t, float64(fit.Users), float64(users), 0.1*float64(users), "Users")
		for _, g := range fit.Goodness {
			if g.KS > 0.05 || g.Poor {
				t.Errorf("%s: the fit is %v off", g.What, g.KS)
			}
		}
		// A distance that says something: of another population it is large.
		c.Refreshes, c.PauseMean, c.Sessions = 2*c.Refreshes, 2*c.PauseMean, 2*c.Sessions
		c.PerRefresh, c.Octave = c.PerRefresh+1, 2
		poor := Fit{Goodness: goodness(d, c)}
		for _, g := range poor.Goodness {
			if g.KS <= PoorKS || !g.Poor {
				t.Errorf("%s: another population is only %v off", g.What, g.KS)
			}
			text, far := poor.Poor(), fmt.Sprintf("%s (%.2g)", g.What, g.KS)
			if rests[g.What] == "" || !strings.Contains(text, far) || !strings.Contains(text, rests[g.What]) {
				t.Errorf("%s: it is missing in %q", g.What, text)
			}
		}
		strategytest.Equal(t, fit.Poor(), "", "a good fit")
	}
}

func TestFitErrors(t *testing.T) {
	few := described(t, []byte("user,article,time,request\n1,1,1,\n"), Config{}, 1)
	strategytest.ErrorSays(t, "few users", strategytest.ErrorOf(FitDaily(few)), "fewer than 100 users")
	few.Users = 100
	strategytest.ErrorSays(t, "a short time", strategytest.ErrorOf(FitDaily(few)), "less than an hour")
	// A log of nothing but single refreshes fits, too.
	few.Last += 86400
	fit := strategytest.Value(FitDaily(few))
	if err := fit.Population.Validate(); err != nil || fit.Population.Refreshes != 1 {
		t.Errorf("%v refreshes a session, want 1: %v", fit.Population.Refreshes, err)
	}
}

// Ten repeats, by hand: four of age 1, three of age 2, two of age 5 and one of age 16,
// of which an hour's rule forgets two of age 2 and the oldest.
func TestWindows(t *testing.T) {
	all := []int64{1: 4, 2: 3, 5: 2, 16: 1}
	d := &Description{Repeats: 10, Ages: all, Rules: []store.Timestamp{3600}, Forgotten: [][]int64{{2: 2, 16: 1}}}
	needs := func(idle store.Timestamp, share float64, want int, wantHas float64) {
		t.Helper()
		if window, has := d.Window(idle, share); window != want || math.Abs(has-wantHas) > 1e-12 {
			t.Errorf("idle %d: %v of the repeats are in %d, %v; want %d, %v", idle, share, window, has, want, wantHas)
		}
	}
	needs(0, 0.4, 1, 0.4)
	needs(0, 0.41, 2, 0.7)
	needs(0, 0.7, 2, 0.7)
	needs(0, 0.9, 5, 0.9)
	needs(0, 1, 16, 1)
	needs(3600, 0.5, 2, 0.5)
	needs(3600, 0.7, 5, 0.7)
	needs(3600, 0.71, 0, 0.7) // which no window has
	needs(7200, 0.7, 2, 0.7)  // of a rule that was not looked at, nothing is forgotten
	has := func(idle store.Timestamp, window int, want float64) {
		t.Helper()
		strategytest.Near(t, d.Within(idle, window), want, 1e-12, "idle %d: a window of %d has", idle, window)
	}
	has(0, 0, 0)
	has(0, 1, 0.4)
	has(0, 2, 0.7)
	has(0, 4, 0.7)
	has(0, 5, 0.9)
	has(0, 15, 0.9)
	has(0, 16, 1)
	has(3600, 2, 0.5)
	has(3600, 1000, 0.7)
	table := WindowTable(d)
	want := [][]string{
		{RuleText(3600), percentOf(3, 10), "2", text.None, text.None, text.None},
		{"never", percentOf(0, 10), "2", "5", "16", "16"},
	}
	if !slices.EqualFunc(table.Rows, want, slices.Equal) {
		t.Errorf("the table is %q, want %q", table.Rows, want)
	}
	if empty := WindowTable(&Description{Ages: all}); len(empty.Rows) != 0 || len(empty.Header) != 6 {
		t.Errorf("without repeats: %+v", empty)
	}
}

// Zeros are left out; of 1 and 2 the Gini is 1/6.
func TestSkewLeavesOutZeros(t *testing.T) {
	got := skewOf([]uint32{0, 2, 0, 1})
	want := Skew{N: 2, Sum: 3, Quantiles: [...]int64{1, 1, 2, 2, 2, 2}, Once: 1, Top: 2}
	gini := got.Gini
	if got.Gini = 0; got != want || gini < 1./6-1e-12 || gini > 1./6+1e-12 {
		t.Errorf("%+v, Gini %v, want %+v, 1/6", got, gini, want)
	}
	strategytest.Equal(t, skewOf([]uint32{0, 0}), (Skew{}), "of nothing")
}

// A file of a population that reads is one that can be simulated, and its own writing reads back.
func FuzzReadPopulation(f *testing.F) {
	fit := strategytest.Value(json.Marshal(Fit{Population: workload.DefaultDaily(), Users: 7}))
	f.Add(fit)
	f.Add([]byte(`{"population": {"sessions": 0.4, "sigma": null}}`))
	f.Add([]byte(`{"population": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, _, err := parsePopulation(data)
		if err != nil {
			return
		}
		if _, err := workload.NewDailyOf(c, 1, 1); err != nil {
			t.Fatalf("it reads as %+v, which is none: %v", c, err)
		}
		again := strategytest.Value(json.Marshal(Fit{Population: c}))
		if d, _, err := parsePopulation(again); err != nil || d != c {
			t.Fatalf("%+v reads back as %+v, %v", c, d, err)
		}
	})
}

// A written population is read back, and an error names the file.
func TestReadPopulation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "population.json")
	strategytest.Must(t, (Fit{Population: workload.DefaultDaily()}).Write(path))
	if c, poor, err := ReadPopulation(path); err != nil || poor != "" || c != workload.DefaultDaily() {
		t.Errorf("the default reads back as %+v, %v", c, err)
	}
	poorly := Fit{Population: workload.DefaultDaily()}
	poorly.Goodness = []Goodness{{What: ofSessions, KS: 0.3, Poor: true}, {What: ofAges, KS: 0.01}}
	strategytest.Must(t, poorly.Write(path))
	_, poor, err := ReadPopulation(path)
	if err != nil || poor != poorly.Poor() || !strings.HasPrefix(poor,
		"The fit is POOR (above 0.1) for sessions of a user (0.3). '--population' would not show what this log does") {
		t.Errorf("a poor fit reads back as %q, %v", poor, err)
	}
	for text, reason := range map[string]string{
		`{"population": {"sessions": 0.4}}`: `population has no "sigma"`,
		`{"population": {"sess`:             "byte 21 of 21: unexpected end of JSON input",
		`{}`:                                `no "population" in it`,
	} {
		strategytest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		_, _, err := ReadPopulation(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %q", text, err, reason)
		}
	}
	if _, _, err := ReadPopulation(path + ".none"); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}
