package replay

import (
	"fmt"

	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/results"
	"dejavu/store"
	"dejavu/strategies"
)

// Counts holds one strategy's results: whole numbers, the same for any number of workers.
type Counts struct {
	// Regime counts as Daily does: Fresh are candidates that this user was never shown before, and Repeats are recorded
	// articles that had been shown and were not recognised. ByHeld is left empty.
	measure.Regime

	// Articles counts the queries of Fresh by article.
	Articles measure.Articles

	// Candidates that had been shown before, and how many were recognised: by AgeBin of how many articles ago, 1 being
	// the newest, and by ElapsedBin of the time since.
	Repeated, Recognised           []int64
	RepeatedAfter, RecognisedAfter [deal.ElapsedBins]int64

	// Why repeats were not recognised: the history had been forgotten since, or it was not, and the article
	// lay outside the guaranteed window. What lay inside is WindowMisses, and the three are all there are.
	Forgotten, Outside int64

	// Ever counts the repeats outside the window of a history that is never forgotten, recognised or not: the most that
	// such a strategy shows. It means nothing for strategies that go by the calendar.
	Ever int64

	// Fresh candidates, and false positives among them, by articles recorded since the history was last empty: 0 to
	// 16383 and more.
	FreshByHeld, HitsByHeld []int64

	Late Late // asked for from Config.From on; counted above as well
}

// A Late is what was asked for late in a log, of users whose histories are as all of the log has left them.
type Late struct {
	Repeats        int64 `json:"repeats"`
	Recognised     int64 `json:"recognised"`
	Fresh          int64 `json:"unseen"` // candidates that the user was never shown
	FalsePositives int64 `json:"false_positives"`
}

func (r *Counts) repeat(m *memory, q repeat, seen bool) {
	age, held := int(q.age), int(q.held)
	bin := deal.AgeBin(age)
	r.Repeated[bin]++
	r.RepeatedAfter[q.since]++
	if q.late {
		r.Late.Repeats++
		if seen {
			r.Late.Recognised++
		}
	}
	inside := m.remembers(held, age)
	if inside {
		r.WindowChecks++
	}
	if !m.remembers(int(q.shown), age) {
		r.Ever++
	}
	switch {
	case seen:
		r.Recognised[bin]++
		r.RecognisedAfter[q.since]++
	case inside:
		r.WindowMisses++
	case age > held:
		r.Forgotten++
	default:
		r.Outside++
	}
}

func newCounts() Counts {
	return Counts{
		Regime: measure.NewRegime(), Articles: measure.NewArticles(),
		Repeated: make([]int64, deal.AgeBins), Recognised: make([]int64, deal.AgeBins),
		FreshByHeld: make([]int64, measure.HeldMost+1), HitsByHeld: make([]int64, measure.HeldMost+1),
	}
}

// Expected returns theory's mean rate over the fresh articles, by the number of articles in a history. It is unset if
// there were none, or if forgetting goes by the calendar.
func Expected(s measure.Subject, fresh []int64) (mean results.Number) {
	if _, dated := s.Strategy.(strategies.Dated); dated || row.Sum(fresh) == 0 {
		return mean
	}
	sum := 0.
	for held, n := range fresh {
		if n > 0 {
			sum += float64(n) * s.Theory.FPR(held)
		}
	}
	return results.Num(sum / float64(row.Sum(fresh)))
}

// A memory holds one strategy's histories for an unknown number of users: stores of segment users each. One goroutine
// uses it.
type memory struct {
	measure.Subject
	idle    store.Timestamp
	arena   *store.Arena
	dated   bool // the strategy forgets by the calendar
	stores  []*store.Store[int]
	windows []int32 // Theory.Window by articles held, as far as it was asked
	certain measure.Rememberer
}

// segment is the most users that share one lock, and so one shard.
const segment = 1 << 16

// at returns the store of a user, and the number there.
func (m *memory) at(user int) (*store.Store[int], int) {
	for user/segment >= len(m.stores) {
		s, err := store.New[int](store.Config{
			Unsalted: true, Strategy: m.Strategy, Users: segment, Idle: m.idle, Shards: 1, Arena: m.arena,
		})
		if err != nil {
			panic(fmt.Sprintf("%s: %v", m.Name, err)) // which ends the replay
		}
		m.stores = append(m.stores, s)
	}
	return m.stores[user/segment], user % segment
}

func (m *memory) bytes() (sum int64) {
	for _, s := range m.stores {
		stats := s.Stats()
		sum += stats.Slabs + stats.Bookkeeping
	}
	return sum
}

// remembers reports whether theory guarantees the article shown age articles ago after held were recorded. A strategy
// that goes by the calendar promises days, not articles.
func (m *memory) remembers(held, age int) bool {
	switch {
	case m.dated || age > held:
		return false
	case m.certain != nil:
		return m.certain.Remembers(held, age)
	}
	return age <= m.window(held)
}

// window returns the guaranteed window after held were recorded.
func (m *memory) window(held int) int {
	if held >= 1<<16 {
		return m.Theory.Window(held)
	}
	for held >= len(m.windows) {
		m.windows = append(m.windows, int32(m.Theory.Window(len(m.windows))))
	}
	return int(m.windows[held])
}
