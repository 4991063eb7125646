package replay

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"dejavu/experiments/replay"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

func unpacked(all [][]byte, byTime bool) (found [][]logs.Event, err error) {
	shuffled := slices.Clone(all)
	rand.New(rand.NewPCG(3, 3)).Shuffle(len(all), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	requests, err := unpack(shuffled, byTime)
	if err != nil {
		return nil, err
	}
	for r := requests.NextRequest(); len(r) > 0; r = requests.NextRequest() {
		found = append(found, slices.Clone(r))
	}
	return found, nil
}

// Each shard has its users' requests, all of them and in their order, whatever
// the batches they came in; and a user has one shard.
func TestBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, shards := range []int{1, 3, 1000} {
		got, want := make([][][]byte, shards), make([][][]logs.Event, shards)
		for file := range 3 {
			p := newPacker(file, shards, func(shard int, batch []byte) { got[shard] = append(got[shard], batch) })
			for range 3000 {
				user := r.Uint64() >> r.IntN(64)
				request := make([]logs.Event, 1+r.IntN(100))
				at := r.Int64N(253402300799)
				for i := range request {
					request[i] = logs.Event{User: user, Time: at, Article: strategies.ID(r.Uint64()), Kind: logs.Kind(r.IntN(3))}
				}
				want[shardOf(user, shards)] = append(want[shardOf(user, shards)], request)
				p.add(request)
			}
			p.end()
			strategytest.Equal(t, p.held, 0, "bytes are held at the end")
		}
		batches, longest := 0, 0
		for shard := range shards {
			requests, err := unpacked(got[shard], false)
			if err != nil || !reflect.DeepEqual(requests, want[shard]) {
				t.Fatalf("shard %d of %d: %d requests, %v, want %d", shard, shards, len(requests), err, len(want[shard]))
			}
			batches += len(got[shard])
			for _, b := range got[shard] {
				longest = max(longest, len(b))
			}
		}
		if longest > batchBytes+1000 || shards == 1 && batches < 50 {
			t.Errorf("%d batches of %d shards, the longest of %d bytes", batches, shards, longest)
		}
	}
}

// users are the i-th of those that are hashes, or numbers.
var users = map[string]func(i uint64) uint64{
	"hashed":  func(i uint64) uint64 { return uint64(strategies.XXHashString(strconv.FormatUint(i, 10))) },
	"numbers": func(i uint64) uint64 { return i },
	"high":    func(i uint64) uint64 { return i << 32 },
}

// Users spread evenly, hashed or numbered: 20000 of them over 100 shards have 200
// each, with a standard deviation of 14; more than six of them away none is.
func TestShardsAreEven(t *testing.T) {
	for name, user := range users {
		var n [100]int
		for i := range uint64(20_000) {
			n[shardOf(user(i), len(n))]++
		}
		if least, most := slices.Min(n[:]), slices.Max(n[:]); least < 200-85 || most > 200+85 {
			t.Errorf("%s: from %d to %d users in a shard, want about 200", name, least, most)
		}
	}
}

// A shard's users are spread in a table that takes its places from the product that many do: with linear probing,
// half full, they are found after 1.5 probes on average (Knuth, The Art of Computer Programming, volume 3, 6.4). Were
// the shard taken from the same product, they would lie in 1/100 of the table.
func TestAShardsUsersAreSpread(t *testing.T) {
	const shards, size = 100, 1 << 12
	for name, user := range users {
		var table [size]bool
		n, probes := 0, 0
		for i := uint64(1); n < size/2; i++ {
			if shardOf(user(i), shards) != 42 {
				continue
			}
			n++
			at := user(i) * 0x9e3779b97f4a7c15 >> (64 - 12)
			for probes++; table[at]; probes++ {
				at = (at + 1) % size
			}
			table[at] = true
		}
		strategytest.AtMost(t, float64(probes)/float64(n), 1.7, "%s: probes a user", name)
	}
}

// What is held of batches that are not full has a bound, whatever the number of shards.
func TestHeldIsBounded(t *testing.T) {
	request, given := make([]logs.Event, 100), 0
	p := newPacker(0, 10_000, func(_ int, b []byte) { given += len(b) })
	for request[0].User = range 60_000 {
		if p.add(request); p.held > heldBytes {
			t.Fatalf("%d bytes are held, want %d at most", p.held, heldBytes)
		}
	}
	if p.end(); given < 3*heldBytes/2 {
		t.Errorf("only %d bytes are given", given)
	}
}

// What is cut anywhere is refused, or is a batch that ended earlier.
func TestBatchThatIsCut(t *testing.T) {
	var whole []byte
	p := newPacker(300, 1, func(_ int, b []byte) { whole = b })
	p.add([]logs.Event{{User: 7, Article: 9, Time: 1573776000}, {User: 7, Article: 10, Time: 1573776000}})
	p.end()
	for n := range whole {
		// The header of three bytes alone is a batch without requests.
		requests, err := unpacked([][]byte{whole[:n]}, false)
		if n != 3 && !errors.Is(err, errBatch) || len(requests) > 0 {
			t.Errorf("%d bytes of %d are %v, %v", n, len(whole), requests, err)
		}
	}
	if _, err := unpacked([][]byte{append(bytes.Clone(whole), 1)}, false); !errors.Is(err, errBatch) {
		t.Errorf("a byte too many: %v", err)
	}
}

// A file tells its earliest request and the latest exposure of each stretch, wherever they stand.
func TestWhatAFileTells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	text := "user,article,time\n1,1,200000\n1,2,100\n1,3,86300\n1,3,86000\n2,1,90000\n"
	strategytest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	reading := replay.Reading{
		Format: "csv", Comma: ",", Clock: "auto", Quote: "auto", List: "auto", Order: replay.ByTime, Share: 1,
	}
	fn := newReadFn(Config{Reading: reading, Shards: 1})
	strategytest.Must(t, fn.Setup())
	var f found
	read := func() error {
		return fn.ProcessElement(t.Context(), nil, 0, File{Name: "log", Path: path},
			func(g found) { f = g }, func(int, []byte) {})
	}
	strategytest.Must(t, read())
	times := slices.Sorted(maps.Values(f.Latest))
	if f.Begin != 200000 || f.Earliest != 100 || !slices.Equal(times, []int64{100, 86300, 90000, 200000}) {
		t.Errorf("it begins at %d, the earliest is %d, the latest are %d", f.Begin, f.Earliest, times)
	}
	fn.Most = int64(len(text)) // less than the requests take
	strategytest.ErrorSays(t, "a file too long for Flink", read(), "log has more requests than this runner can hold")
}

// Of a stretch a log's clock has all or nothing, whenever the log begins.
func TestStretches(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 100_000 {
		span := deal.Span{First: r.Int64N(1 << 34)}
		at := span.First + 1<<31 - r.Int64N(1<<17)
		if r.IntN(2) == 0 {
			at -= 1 << 32
		}
		from := stretch(at)
		_, has := span.Clock(at)
		if _, all := span.Clock(from); has != all || from > at || from <= at-int64(store.Day) {
			t.Fatalf("a log from %d on has %d: %v, and its stretch from %d on: %v", span.First, at, has, from, all)
		}
	}
}

// What was found adds up in any order.
func TestFoundAddsUp(t *testing.T) {
	all := []found{
		{},
		{Read: logs.Counts{Lines: 1, Faults: 1}, Fault: logs.Fault{File: "b", Line: 9}, FaultIn: 2},
		{
			Read: logs.Counts{Lines: 5, Faults: 2, Requests: 3}, Fault: logs.Fault{File: "c", Line: 1}, FaultIn: 3,
			Begin: 100, BeginIn: 3, Earliest: 100, Latest: map[int64]int64{1: 100, 2: 700},
		},
		{
			Read: logs.Counts{Lines: 2, Requests: 2}, Begin: 50, BeginIn: 4, Earliest: 50,
			Latest: map[int64]int64{1: 200, 2: 600, 3: 1},
		},
	}
	want := found{
		Read: logs.Counts{Lines: 8, Faults: 3, Requests: 5}, Fault: all[1].Fault, FaultIn: 2,
		Begin: 100, BeginIn: 3, Earliest: 50, Latest: map[int64]int64{1: 200, 2: 700, 3: 1},
	}
	r := rand.New(rand.NewPCG(6, 6))
	for range 50 {
		parts := slices.Clone(all)
		for len(parts) > 1 { // any two that there are
			r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			parts[1] = parts[0].plus(parts[1])
			parts = parts[1:]
		}
		if !reflect.DeepEqual(parts[0], want) {
			t.Fatalf("found %+v, want %+v", parts[0], want)
		}
	}
}

// By their times, requests come as a stable sort of them all has it.
func TestBatchesByTime(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var all [][]byte
	var want [][]logs.Event
	for file := range 3 {
		p := newPacker(file, 1, func(_ int, b []byte) { all = append(all, b) })
		for range 20_000 {
			article := strategies.ID(r.Uint64N(2000))
			e := logs.Event{User: r.Uint64N(50), Article: article, Time: r.Int64N(5000), Nanos: r.Uint32N(3)}
			p.add([]logs.Event{e})
			want = append(want, []logs.Event{e})
		}
		p.end()
	}
	slices.SortStableFunc(want, func(a, b []logs.Event) int {
		return cmp.Or(cmp.Compare(a[0].Time, b[0].Time), cmp.Compare(a[0].Nanos, b[0].Nanos))
	})
	if got, err := unpacked(all, true); err != nil || len(all) < 6 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d requests of %d batches, %v", len(got), len(all), err)
	}
}
