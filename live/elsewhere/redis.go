// Package elsewhere keeps histories in other databases: the same calls, over a history
// that is read, extended and written back.
//
// Redis holds one value a user under "dejavu:" and the digest of the user's key in hex.
// Two services that extend one history at once would lose what one of them recorded, so
// that a write is a compare-and-set: it happens only if the value is the one that was
// read. It is as durable as Redis is (appendonly, appendfsync).
//
// A value is 4 bytes of the time it was last recorded at, 8 of the last request's number,
// 1 that counts the articles which that request was shown and recorded, themselves, and
// the history. So the last request of a user can be repeated, and no other.
package elsewhere

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/store"
	"dejavu/strategies"
)

// Options are those of a Redis.
type Options struct {
	_ struct{}

	Address  string
	Password string
	TLS      *tls.Config
	Layout   layout.Layout
	Secret   strategies.Secret
	Idle     time.Duration // 0: never
	Clock    func() store.Timestamp
}

// A Redis is an exposure.Keeper whose histories are in Redis.
type Redis struct {
	o      Options
	client *redis.Client
}

// NewRedis connects.
func NewRedis(ctx context.Context, o Options) (*Redis, error) {
	r := &Redis{o: o, client: redis.NewClient(&redis.Options{
		Addr: o.Address, Password: o.Password, TLSConfig: o.TLS, DialTimeout: 2 * time.Second,
		ReadTimeout: 2 * time.Second, WriteTimeout: 2 * time.Second, ContextTimeoutEnabled: true, DisableIdentity: true,
	})}
	if err := r.client.Ping(ctx).Err(); err != nil {
		r.client.Close()
		return nil, fmt.Errorf("redis %s: %w", o.Address, err)
	}
	// Histories of another strategy or secret must not be extended.
	const name = "dejavu:layout"
	about := fmt.Sprintf("%s, secret %016x", o.Layout.About(), o.Secret.Fingerprint())
	was, err := r.client.SetArgs(ctx, name, about, redis.SetArgs{Mode: "NX", Get: true}).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		r.client.Close()
		return nil, fmt.Errorf("redis %s: %w", o.Address, err)
	}
	if was != "" && was != about {
		r.client.Close()
		return nil, fmt.Errorf("redis %s: %w: its histories are of %q, want %q", o.Address, store.ErrMismatch, was, about)
	}
	return r, nil
}

// Close ends the connections.
func (r *Redis) Close() error { return r.client.Close() }

// Bytes is the memory that Redis uses, for all that it holds.
func (r *Redis) Bytes(ctx context.Context) (int64, error) {
	info, err := r.client.InfoMap(ctx, "memory").Result()
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(info["Memory"]["used_memory"], 10, 64)
}

// swap sets a value if it is still the one that was read; a new one if there was none.
// KEYS: the user's. ARGV: old, new (empty: delete), milliseconds to live (0: for ever).
var swap = redis.NewScript(`
local now = redis.call('GET', KEYS[1]) or ''
if now ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) return 1 end
if ARGV[3] == '0' then redis.call('SET', KEYS[1], ARGV[2])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`)

// A value is what a key holds.
type value struct {
	last    uint32
	request uint64
	shown   []strategies.ID
	history []byte
}

const (
	valueBytes = 13
	mostShown  = 255
)

func (v *value) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, v.last)
	b = le.AppendUint64(b, v.request)
	b = append(b, byte(len(v.shown)))
	for _, id := range v.shown {
		b = le.AppendUint64(b, uint64(id))
	}
	return append(b, v.history...)
}

// decode reads a value, "" for a newcomer's. The history shares the bytes.
func decode(b []byte, s strategies.Strategy) (v value, err error) {
	if len(b) == 0 {
		return v, nil
	}
	if len(b) < valueBytes || len(b) < valueBytes+8*int(b[12]) {
		return v, fmt.Errorf("value of %d bytes, want at least %d", len(b), valueBytes)
	}
	le := binary.LittleEndian
	v.last, v.request = le.Uint32(b), le.Uint64(b[4:])
	for i := range int(b[12]) {
		v.shown = append(v.shown, strategies.ID(le.Uint64(b[valueBytes+8*i:])))
	}
	v.history = b[valueBytes+8*len(v.shown):]
	return v, s.Validate(v.history)
}

// at is the strategy as it is at a time.
func (r *Redis) at(now store.Timestamp) strategies.Strategy {
	if d, ok := r.o.Layout.Strategy.(strategies.Dated); ok {
		return d.On(int(now / store.Day))
	}
	return r.o.Layout.Strategy
}

// user is a user's key, and salt.
func (r *Redis) user(name string) (string, strategies.Salt) {
	digest := uint64(r.o.Secret.DigestString(name))
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], digest)
	return "dejavu:" + hex.EncodeToString(b[:]), r.o.Secret.Salt(digest)
}

// read reads a user's value.
func (r *Redis) read(ctx context.Context, key string) (v value, err error) {
	raw, err := r.client.Get(ctx, key).Bytes()
	if err != nil && !errors.Is(err, redis.Nil) {
		return v, fmt.Errorf("%w: redis: %w", exposure.ErrUnavailable, err)
	}
	if v, err = decode(raw, r.o.Layout.Strategy); err != nil {
		return v, fmt.Errorf("redis: %s: %w", key, err)
	}
	return v, nil
}

// A change is what a call does to one user's value. Make says whether there is something
// to write; it may be called again on a value that another has written meanwhile.
type change struct {
	key  string
	make func(v *value) bool
}

// apply makes changes of different users: it reads all values in one round trip, and
// writes in another those that nobody else wrote meanwhile, until all are written.
func (r *Redis) apply(ctx context.Context, changes []change) error {
	for len(changes) > 0 {
		keys := make([]string, len(changes))
		for i := range changes {
			keys[i] = changes[i].key
		}
		read, err := r.client.MGet(ctx, keys...).Result()
		if err != nil {
			return fmt.Errorf("%w: redis: %w", exposure.ErrUnavailable, err)
		}
		var writing []change
		pipe := r.client.Pipeline()
		for i, c := range changes {
			raw, _ := read[i].(string) // "" for a newcomer
			v, err := decode([]byte(raw), r.o.Layout.Strategy)
			if err != nil {
				return fmt.Errorf("redis: %s: %w", c.key, err)
			}
			if c.make(&v) {
				writing = append(writing, c)
				swap.Eval(ctx, pipe, []string{c.key}, raw, v.append(nil), r.o.Idle.Milliseconds())
			}
		}
		if len(writing) == 0 {
			return nil
		}
		written, err := pipe.Exec(ctx)
		if err != nil {
			return fmt.Errorf("%w: redis: %w", exposure.ErrUnavailable, err)
		}
		changes = changes[:0]
		for i, w := range written {
			if n, err := w.(*redis.Cmd).Int(); err != nil || n != 1 {
				changes = append(changes, writing[i])
			}
		}
	}
	return nil
}

// show is the change of a request.
func (r *Redis) show(s *exposure.Show) change {
	key, salt := r.user(s.User)
	now, before := r.o.Clock(), len(s.Shown)
	mixed := salt.Append(nil, s.Candidates)
	return change{key, func(v *value) bool {
		s.Shown = s.Shown[:before]
		if s.Request != 0 && v.request == s.Request {
			s.Shown = append(s.Shown, v.shown...)
			return false
		}
		at, seen := r.at(now), make([]bool, len(mixed))
		at.Seen(v.history, mixed, seen)
		var record []strategies.ID
		for i, id := range mixed {
			if !seen[i] && len(record) < min(s.Limit, mostShown) && !slices.Contains(record, id) {
				record, s.Shown = append(record, id), append(s.Shown, s.Candidates[i])
			}
		}
		if len(record) == 0 {
			return false
		}
		v.last, v.request, v.shown = max(v.last, uint32(now)), s.Request, nil
		if s.Request != 0 {
			v.shown = s.Shown[before:]
		}
		v.history = at.Record(v.history, record)
		return true
	}}
}

// ShowAll implements exposure.Keeper.
func (r *Redis) ShowAll(ctx context.Context, requests []exposure.Show) error {
	for len(requests) > 0 {
		// As far as every user comes once.
		var changes []change
		users := map[string]bool{}
		for i := range requests {
			if users[requests[i].User] {
				break
			}
			users[requests[i].User] = true
			changes = append(changes, r.show(&requests[i]))
		}
		requests = requests[len(changes):]
		if err := r.apply(ctx, changes); err != nil {
			return err
		}
	}
	return nil
}

// Seen implements exposure.Keeper.
func (r *Redis) Seen(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
	key, salt := r.user(user)
	v, err := r.read(ctx, key)
	if err == nil {
		r.at(r.o.Clock()).Seen(v.history, salt.Append(nil, candidates), seen)
	}
	return err
}

// Record implements exposure.Keeper.
func (r *Redis) Record(ctx context.Context, user string, request uint64, articles []strategies.ID) error {
	key, salt := r.user(user)
	now, mixed := r.o.Clock(), salt.Append(nil, articles)
	return r.apply(ctx, []change{{key, func(v *value) bool {
		if request != 0 && v.request == request {
			return false
		}
		v.last, v.request, v.shown = max(v.last, uint32(now)), request, nil
		v.history = r.at(now).Record(v.history, mixed)
		return true
	}}})
}

// Forget implements exposure.Keeper.
func (r *Redis) Forget(ctx context.Context, user string) error {
	key, _ := r.user(user)
	if err := r.client.Del(ctx, key).Err(); err != nil {
		return fmt.Errorf("%w: redis: %w", exposure.ErrUnavailable, err)
	}
	return nil
}

// History implements exposure.Keeper.
func (r *Redis) History(ctx context.Context, user string) ([]byte, error) {
	key, _ := r.user(user)
	v, err := r.read(ctx, key)
	return v.history, err
}

// Partitions implements exposure.Keeper: every instance serves all users.
func (r *Redis) Partitions() (of int, here []int) { return 1, []int{0} }

// Ready implements exposure.Keeper.
func (r *Redis) Ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return r.client.Ping(ctx).Err()
}
