package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// Memory measures the bytes of histories: by articles shown, by users, and over days in which users come and go.
var Memory = experiment.Experiment{
	Name: results.Memory, About: "bytes by articles shown, totals by users, and what days of coming and going leave",
	Needs: func(s engine.Scope) []engine.Task {
		return append(shared.FullTasks(s), shared.Tasks(returning, churn)(s)...)
	},
	Dimensions: []results.Dimension{by.Articles, by.Users, by.Day, by.Formula, by.Of},
	Rows:       shared.ByEntry(engine.Scope.Full, shared.Full, memoryOfEntry),
	Figures:    memoryFigures, Tables: memoryTables,
}

func returning(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), func(e catalogue.Entry) bool { return e.Churn == 0 })
}

// churnDays is how many days the daily population comes back for: five more than the histories grow.
const churnDays = WarmUp + 5

// A churned is what one strategy's histories took, midnight by midnight.
type churned struct {
	Users     int
	Together  int `sum:"least"` // of these, in one store at least
	Midnights []Midnight
}

// churn lets the daily population come back to an entry, day after day.
func churn(e catalogue.Entry) engine.Measurement[churned] {
	return engine.Measurement[churned]{
		Name: "churn-" + e.Name, Users: func(s engine.Scope) int { return e.Returning(s.Users) }, Cost: 20, Machine: true,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (c churned, err error) {
			population, err := workload.NewDailyOf(r.Daily(), r.Seed, e.Returning(r.Users))
			if err != nil {
				return c, err
			}
			subject := r.Subject(e)
			c.Users, c.Together = users.Len(), users.Len()
			if c.Users == 0 { // a store of none does not count
				c.Together = population.Users()
			}
			r.Expect(c.Users * churnDays)
			c.Midnights, err = Churn(ctx, subject, population, users, churnDays, r.Options)
			for _, m := range c.Midnights {
				r.Bytes(m.Slabs)
			}
			return c, err
		},
	}
}

func memoryOfEntry(r *engine.Run, e catalogue.Entry, full shared.FullResult) (rows, timing []results.Row, err error) {
	rows, timing = memoryCounted(e, r.Subject(e), full.Counts), given(e, full.Machine)
	if e.Churn == 0 {
		return rows, timing, nil
	}
	c, err := churn(e).Of(r)
	more, times := churnRows(e, c)
	return append(rows, more...), append(timing, times...), err
}

func memoryNumber(e catalogue.Entry, quantity, unit string, value float64, count int64) results.Row {
	return row.Number(results.Memory, e.Name, quantity, unit, value).Among(count)
}

// memoryCounted are the bytes of histories, by articles shown and by users.
func memoryCounted(e catalogue.Entry, subject measure.Subject, c measure.FullCounts) (rows []results.Row) {
	add := func(r results.Row, theory float64, where results.Condition) {
		rows = append(rows, r.Expect(theory).With(where))
	}
	for _, p := range c.Points {
		if p.Users > 0 {
			add(memoryNumber(e, results.QBytesPerUser, results.Bytes, row.Mean(p.Bytes, p.Users), p.Users),
				float64(subject.Theory.Bytes(p.Shown)), by.Articles.At(float64(p.Shown)))
		}
	}
	mean := shared.MeanOverLives(func(shown int) float64 { return float64(subject.Theory.Bytes(shown)) })
	for _, a := range c.Totals {
		r := memoryNumber(e, results.QPayloadTotal, results.Bytes, float64(a.Payload), a.Users)
		if a.Users == 10_000_000 && e.Stated.Total > 0 {
			r = r.Stating(e.Stated.Total)
		}
		add(r, mean*float64(a.Users), by.Users.At(float64(a.Users)))
	}
	for exponent := 5.; exponent <= 9; exponent += 0.5 {
		users := math.Round(math.Pow(10, exponent))
		r := row.Theory(results.Memory, e.Name, results.QPayloadTotal, results.Bytes, mean*users)
		rows = append(rows, r.With(by.Users.At(users), by.Formula.Is(results.ExactFormula)))
	}
	return rows
}

// given is what the machine gave for that, and how long it took.
func given(e catalogue.Entry, m measure.FullMachine) (timing []results.Row) {
	for _, h := range m.Held {
		at := func(quantity, unit string, value float64) {
			timing = append(timing, memoryNumber(e, quantity, unit, value, h.Users).With(by.Users.At(float64(h.Users))))
		}
		at(results.QStoreTotal, results.Bytes, float64(h.Slabs))
		at(results.QResidentTotal, results.Bytes, float64(h.Resident))
		at("time per user", results.Nanoseconds, h.Seconds*1e9/float64(h.Users))
	}
	return append(timing, memoryNumber(e, results.QParts, "", float64(m.Parts), 0))
}

// churnRows is what is held at every midnight.
func churnRows(e catalogue.Entry, c churned) (rows, timing []results.Row) {
	users := int64(c.Users)
	for day, m := range c.Midnights {
		at := func(quantity, unit string, value int64) results.Row {
			return memoryNumber(e, quantity, unit, float64(value), users).With(by.Day.At(float64(day + 1)))
		}
		rows = append(rows, at(results.QUsersAlive, "", m.Alive), at(results.QPayloadTotal, results.Bytes, m.Payload))
		timing = append(timing,
			at(results.QStoreTotal, results.Bytes, m.Slabs), at(results.QResidentTotal, results.Bytes, m.Resident))
	}
	if slabs, resident, ok := Growth(c.Together, c.Midnights); ok {
		timing = append(timing,
			memoryNumber(e, results.QGrowth, results.Ratio, slabs, users).With(ofStore),
			memoryNumber(e, results.QGrowth, results.Ratio, resident, users).With(ofResident))
	}
	return rows, timing
}

// What growth is of: the slabs that the histories lie in, or the whole process.
var (
	ofStore    = by.Of.Is("store")
	ofResident = by.Of.Is("resident")
)

var memoryFigures = []plots.Figure{{
	Name: "memory", Experiment: results.Memory, Query: bytesByArticles,
	Title: "Bytes of a history, by articles shown", Caption: "Bytes of one user's history by articles shown.",
	Build: func(d plots.Data) plots.Sheet {
		p := &plots.Panel{
			X: plots.Axis{Label: "articles shown", Max: 2000}, Y: plots.Axis{Label: "bytes per user", Format: plots.Bytes},
			Direct: true,
		}
		for _, s := range plots.Unvaried(d.Series(bytesByArticles, bytesByArticles)) {
			s.Step, s.Line = true, plots.Within(s.Line, 1950)
			s.Points = plots.Thin(plots.Within(s.Points, 1950), 12)
			p.Add(s)
		}
		return plots.Sheet{
			Columns: 1, Height: 215, Panels: []*plots.Panel{p},
			Note: "Marks: measured. Lines: theory, every 50 articles. A dual filter has a second array while it " +
				"fills the next one.",
		}
	},
}}

var bytesByArticles = results.Find(results.QBytesPerUser, by.Articles.Open())

var memoryTables = []text.Table{
	{
		Title: "Days of coming and going: what is held at midnight",
		Lines: results.Q("memory: users alive at day=*"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Condition("day", by.Day),
			text.Value("users with a history", "users alive at day=*", text.Of),
			text.Value("payload", "payload total at day=*", text.Of),
			text.Value("slabs", "store total at day=*", text.Of),
			text.Value("resident", "resident total at day=*", text.Of),
		},
	},
	{
		Title: "Days of coming and going: growth after day 5, beyond that of the payload",
		Lines: results.Q("memory: growth at of=store"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Value("slabs", "growth at of=store", text.Share),
			text.Value("resident", "growth at of=resident", text.Share),
		},
	},
	{
		Title: "Histories of all users, by their number, and the resident memory of the process",
		Lines: results.Q("memory: payload total at users=*"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Condition("users", by.Users),
			text.Value("payload [theory]", "payload total at users=*", text.AndTheory(text.Bytes)),
			text.Value("resident", "resident total at users=*", text.Of),
		},
	},
}

// A Midnight is what a store holds at the end of a day of churn.
type Midnight struct {
	Requests int64 `json:"requests"` // of the day
	Alive    int64 `json:"alive"`    // users with a history
	Payload  int64 `json:"payload"`  // its lengths, summed
	Slabs    int64 `json:"slabs"`    // bytes of memory that histories lie in, by the machine
	Resident int64 `json:"resident"` // bytes of physical memory beyond those before the first day
}

const (
	// sweepEvery is how often idle users are forgotten, in seconds.
	sweepEvery = 4 * 60 * 60

	// crowd is how many users of ten million share a shard. As many share one here, so that the unfilled ends of
	// chunks weigh what they do there.
	crowd = 40_000

	// ends is how many users it takes before one more chunk for each shard and length is no growth to speak of.
	ends = 2 * crowd
)

// WarmUp is how many days come before growth counts. Nobody can be forgotten on the first; a user who comes
// every day has filled a chain after five, and until then the histories grow by almost a half.
const WarmUp = 5

// Churn lets these users of the daily population come back for so many days, all together as a service sees
// them, and says what is held at each midnight. Histories are alive at once, whatever the options say of
// parts, and draw on no arena: memory given back is to be seen.
//
// All candidates are fresh: a repeat that the memory recognises would leave it as it is, and to know repeats
// would take more memory than is measured.
func Churn(
	ctx context.Context, s measure.Subject, population workload.Daily, users measure.Range, days int, o measure.Options,
) ([]Midnight, error) {
	midnights, n := make([]Midnight, days), users.Len()
	if n == 0 {
		return midnights, nil
	}
	visitors, next := make([]workload.Visitor, n), make([]uint32, n)
	for user := range visitors {
		visitors[user] = population.Visitor(users.From + user)
		next[user], _ = visitors[user].Next()
	}
	sysinfo.Settle()
	baseline := sysinfo.Resident()
	shards := (n + crowd - 1) / crowd
	c := store.Config{Unsalted: true, Strategy: s.Strategy, Users: n, Idle: store.Day, Shards: shards}
	histories, err := store.New[int](c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	defer histories.Clear()
	between := o
	between.Progress = nil // a user is done with at midnight
	for day := range midnights {
		m, begin := &midnights[day], store.Timestamp(day)*store.Day
		for until := begin + sweepEvery; until <= begin+store.Day; until += sweepEvery {
			requests, err := measure.Each(ctx, between, measure.Range{To: n}, func() (*int64, func(user int)) {
				var articles [workload.Recalled]int32
				var ages [workload.Recalled]int
				var ids [workload.Recalled]strategies.ID
				var shown [workload.PerRefresh]int
				requests := new(int64)
				return requests, func(user int) { // who refreshes up to that moment
					for store.Timestamp(next[user]) < until {
						now := store.Timestamp(next[user])
						visitors[user].Recall(nil, articles[:], ages[:], ids[:])
						histories.Show(user, now, ids[:], workload.PerRefresh, shown[:0])
						*requests++
						next[user], _ = visitors[user].Next()
					}
				}
			})
			if err != nil {
				return nil, err
			}
			m.Requests += requests
			histories.Forget(until)
		}
		o.Done(n)
		stats := histories.Stats()
		m.Alive, m.Payload, m.Slabs = int64(stats.Users), stats.Payload, stats.Slabs
		sysinfo.Settle()
		m.Resident = sysinfo.Resident() - baseline
	}
	return midnights, nil
}

// Growth is by how much memory grew at most after the WarmUp, in excess of what the histories themselves grew
// by, as a share of the memory then: that of the slabs, and that of the process. ok is false where there is
// nothing to compare, or too few users to see more than the ends of chunks.
func Growth(users int, days []Midnight) (slabs, resident float64, ok bool) {
	if len(days) <= WarmUp || users < ends {
		return 0, 0, false
	}
	warm := days[WarmUp-1]
	for _, m := range days[WarmUp:] {
		grew := m.Payload - warm.Payload
		slabs = max(slabs, float64(m.Slabs-warm.Slabs-grew)/float64(warm.Slabs))
		resident = max(resident, float64(m.Resident-warm.Resident-grew)/float64(warm.Resident))
	}
	return slabs, resident, true
}
