package replay

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"dejavu/cluster/internal/wire"
	"dejavu/internal/mix"
	"dejavu/strategies"
	"dejavu/workload/logs"
)

// A batch is some requests of one file and one shard, in their order, as bytes: the numbers of the file and
// of the batch in it, and then for each request the user in eight bytes, the time and its nanoseconds, the
// number of events, and of each event the kind in one byte and the article in eight. Numbers are varints.

const (
	batchBytes = 64 << 10 // a batch is about as long
	heldBytes  = 32 << 20 // so much of batches that are not full is held

	eventBytes = 9
)

type packer struct {
	file   int
	emit   func(shard int, batch []byte)
	shards [][]byte // the batch of each that is not full
	made   int      // batches
	put    int64    // bytes of those handed on
	held   int
}

func newPacker(file, shards int, emit func(int, []byte)) *packer {
	return &packer{file: file, emit: emit, shards: make([][]byte, shards)}
}

// shardOf is the shard of a user, of so many. Digests may be small numbers, so that their bits are mixed, and by more
// than one product: a table that takes its places from one must not find a shard's users in a corner.
func shardOf(user uint64, shards int) int {
	shard, _ := bits.Mul64(mix.Mix(user), uint64(shards))
	return int(shard)
}

func (p *packer) add(request []logs.Event) {
	shard := shardOf(request[0].User, len(p.shards))
	b := p.shards[shard]
	before := len(b)
	if before == 0 {
		b = binary.AppendUvarint(b, uint64(p.file))
		b = binary.AppendUvarint(b, uint64(p.made))
		p.made++
	}
	b = binary.LittleEndian.AppendUint64(b, request[0].User)
	b = binary.AppendUvarint(b, uint64(request[0].Time))
	b = binary.AppendUvarint(b, uint64(request[0].Nanos))
	b = binary.AppendUvarint(b, uint64(len(request)))
	for _, e := range request {
		b = append(b, byte(e.Kind))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Article))
	}
	p.shards[shard] = b
	p.held += len(b) - before
	switch {
	case len(b) >= batchBytes:
		p.flush(shard)
	case p.held >= heldBytes:
		p.end()
	}
}

func (p *packer) flush(shard int) {
	if b := p.shards[shard]; len(b) > 0 {
		p.held -= len(b)
		p.put += int64(len(b))
		p.shards[shard] = nil // what was handed on is not ours
		p.emit(shard, b)
	}
}

func (p *packer) end() {
	for shard := range p.shards {
		p.flush(shard)
	}
}

// Requests are those of some batches, in order. They are deal.Requests.
type requests struct {
	all    []request
	events []logs.Event // of the one before
}

type request struct {
	at    int64
	nanos uint32
	bytes []byte
}

var errBatch = errors.New("replay: a batch of requests is not whole")

// unpack finds the requests of batches, which come in any order. It brings them into the order of the files,
// or of their times, those of one time into that of the files. It keeps 40 bytes for each beside its batch.
func unpack(batches [][]byte, byTime bool) (*requests, error) {
	slices.SortFunc(batches, func(a, b []byte) int {
		x, y := wire.Reader{Rest: a}, wire.Reader{Rest: b}
		return cmp.Or(cmp.Compare(x.Uvarint(), y.Uvarint()), cmp.Compare(x.Uvarint(), y.Uvarint()))
	})
	r := &requests{}
	for _, batch := range batches {
		in := wire.Reader{Rest: batch}
		in.Uvarint()
		in.Uvarint()
		for len(in.Rest) > 0 || in.Broken {
			whole := in.Rest
			first, n := begin(&in)
			if in.Bytes(n * eventBytes); in.Broken {
				return nil, fmt.Errorf("%w: %d bytes before the end", errBatch, len(whole))
			}
			r.all = append(r.all, request{first.Time, first.Nanos, whole[:len(whole)-len(in.Rest)]})
		}
	}
	if byTime {
		slices.SortStableFunc(r.all, func(a, b request) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.nanos, b.nanos))
		})
	}
	return r, nil
}

// begin reads what the events of a request share, and how many there are.
func begin(in *wire.Reader) (e logs.Event, n uint64) {
	e.User, e.Time, e.Nanos, n = in.Uint64(), int64(in.Uvarint()), uint32(in.Uvarint()), in.Uvarint()
	in.Broken = in.Broken || n == 0 || n > uint64(len(in.Rest)/eventBytes)
	return e, n
}

// NextRequest is the next request, valid until the next call.
func (r *requests) NextRequest() []logs.Event {
	if len(r.all) == 0 {
		return nil
	}
	in := wire.Reader{Rest: r.all[0].bytes}
	r.all, r.events = r.all[1:], r.events[:0]
	e, n := begin(&in)
	for range n {
		b := in.Bytes(eventBytes)
		e.Kind, e.Article = logs.Kind(b[0]), strategies.ID(binary.LittleEndian.Uint64(b[1:]))
		r.events = append(r.events, e)
	}
	return r.events
}

// Err is nil: unpack has found all of them.
func (*requests) Err() error { return nil }

// Position is none: a shard does not know how the log was cut into lines.
func (*requests) Position() (p logs.Position) { return p }
