package replayer

import (
	"fmt"

	"dejavu/measure"
	"dejavu/store"
	"dejavu/strategies"
)

// A memory is the histories of one strategy of users whose number nobody knows
// before: stores, each of segment users. One goroutine uses it.
type memory struct {
	measure.Subject
	idle    store.Timestamp
	arena   *store.Arena
	dated   bool // the strategy forgets by the calendar
	stores  []*store.Store[int]
	windows []int32 // Theory.Window by articles held, as far as it was asked
	certain measure.Rememberer
}

// segment is how many users one lock, and so one shard, may have.
const segment = 1 << 16

func newMemory(s measure.Subject, idle store.Timestamp, arena *store.Arena) *memory {
	m := &memory{Subject: s, idle: idle, arena: arena}
	_, m.dated = s.Strategy.(strategies.Dated)
	m.certain, _ = s.Strategy.(measure.Rememberer)
	return m
}

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

// bytes is the memory that the stores take.
func (m *memory) bytes() (sum int64) {
	for _, s := range m.stores {
		stats := s.Stats()
		sum += stats.Slabs + stats.Bookkeeping
	}
	return sum
}

// remembers is whether theory says that the article shown age articles ago is certainly recognised when held
// have been recorded. What goes by the calendar promises days, not articles.
func (m *memory) remembers(held, age int) bool {
	switch {
	case m.dated || age > held:
		return false
	case m.certain != nil:
		return m.certain.Remembers(held, age)
	}
	return age <= m.window(held)
}

// window is theory's when held have been recorded.
func (m *memory) window(held int) int {
	if held >= 1<<16 {
		return m.Theory.Window(held)
	}
	for held >= len(m.windows) {
		m.windows = append(m.windows, int32(m.Theory.Window(len(m.windows))))
	}
	return int(m.windows[held])
}
