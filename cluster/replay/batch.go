package replay

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"dejavu/strategies"
	"dejavu/workload/logs"
)

// A batch is some requests of one file and one shard, in their order, as bytes: the
// numbers of the file and of the batch in it, and then for each request the user in
// eight bytes, the time and its nanoseconds, the number of events, and of each event the kind in one byte
// and the article in eight. Numbers are varints.

const (
	batchBytes = 64 << 10 // a batch is about as long
	heldBytes  = 32 << 20 // so much of batches that are not full is held

	eventBytes = 9
)

// A packer packs the requests of a file into batches.
type packer struct {
	file   int
	emit   func(shard int, batch []byte)
	shards [][]byte // the batch of each that is not full
	made   int      // batches
	held   int
}

func newPacker(file, shards int, emit func(int, []byte)) *packer {
	return &packer{file: file, emit: emit, shards: make([][]byte, shards)}
}

// shardOf is the shard of a user, of so many. Digests may be small numbers, so that
// their bits are spread.
func shardOf(user uint64, shards int) int {
	user ^= user >> 32
	shard, _ := bits.Mul64(user*0x9e3779b97f4a7c15, uint64(shards))
	return int(shard)
}

// add adds a request.
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

// flush hands a shard's batch on.
func (p *packer) flush(shard int) {
	if b := p.shards[shard]; len(b) > 0 {
		p.held -= len(b)
		p.shards[shard] = nil // what was handed on is not ours
		p.emit(shard, b)
	}
}

// end hands all batches on.
func (p *packer) end() {
	for shard := range p.shards {
		p.flush(shard)
	}
}

// Batches are requests to be read. They are deal.Requests.
type batches struct {
	all    []place
	rest   []byte // of the first of all
	events []logs.Event
	err    error
}

// A place is a batch, and its place in the log.
type place struct {
	file, number uint64
	batch        []byte // without these
}

var errBatch = errors.New("replay: a batch of requests is not whole")

// add adds a batch, in any order.
func (b *batches) add(batch []byte) error {
	file, n := binary.Uvarint(batch)
	if n <= 0 {
		return errBatch
	}
	number, m := binary.Uvarint(batch[n:])
	if m <= 0 {
		return errBatch
	}
	b.all = append(b.all, place{file, number, batch[n+m:]})
	return nil
}

// sort brings batches into the order of the files.
func (b *batches) sort() {
	slices.SortFunc(b.all, func(x, y place) int {
		return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.number, y.number))
	})
}

// byTime brings all requests into the order of their times, those of one time into that of
// the files. It keeps 40 bytes for each beside its batch.
func (b *batches) byTime() error {
	b.sort()
	type timed struct {
		at    int64
		nanos uint32
		bytes []byte
	}
	var requests []timed
	for {
		var whole []byte
		if whole = b.rest; len(whole) == 0 && len(b.all) > 0 {
			whole = b.all[0].batch
		}
		r := b.NextRequest()
		if len(r) == 0 {
			break
		}
		requests = append(requests, timed{r[0].Time, r[0].Nanos, whole[:len(whole)-len(b.rest)]})
	}
	slices.SortStableFunc(requests, func(x, y timed) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.nanos, y.nanos)) })
	for _, r := range requests {
		b.all = append(b.all, place{batch: r.bytes})
	}
	return b.err
}

// NextRequest is the next request, valid until the next call.
func (b *batches) NextRequest() []logs.Event {
	for b.err == nil && len(b.rest) == 0 {
		if len(b.all) == 0 {
			return nil
		}
		b.rest, b.all[0].batch = b.all[0].batch, nil
		b.all = b.all[1:]
	}
	if b.err != nil {
		return nil
	}
	in := bytes.NewReader(b.rest)
	var user uint64
	if len(b.rest) >= 8 {
		user = binary.LittleEndian.Uint64(b.rest)
		in.Reset(b.rest[8:])
	}
	at, err := binary.ReadUvarint(in)
	nanos, err1 := binary.ReadUvarint(in)
	n, err2 := binary.ReadUvarint(in)
	rest := b.rest[len(b.rest)-in.Len():]
	if err := errors.Join(err, err1, err2); err != nil || len(b.rest) < 8 || n == 0 || n > uint64(len(rest)/eventBytes) {
		b.err = fmt.Errorf("%w: %d bytes before the end", errBatch, len(b.rest))
		return nil
	}
	b.events = b.events[:0]
	for ; n > 0; n-- {
		b.events = append(b.events, logs.Event{
			User: user, Time: int64(at), Nanos: uint32(nanos), Kind: logs.Kind(rest[0]), Article: strategies.ID(binary.LittleEndian.Uint64(rest[1:])),
		})
		rest = rest[eventBytes:]
	}
	b.rest = rest
	return b.events
}

// Err is why there is no next request.
func (b *batches) Err() error { return b.err }

// Position is none: a shard does not know how the log was cut into lines.
func (*batches) Position() (p logs.Position) { return p }
