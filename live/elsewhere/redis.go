package elsewhere

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"dejavu/live/exposure"
	"dejavu/store"
	"dejavu/strategies"
)

// Options are those of a Redis.
type Options struct {
	_ struct{}

	Address   string
	Password  string
	TLS       *tls.Config
	Histories Histories
}

// A Redis is an exposure.Keeper whose histories are in Redis: one value a user under
// "dejavu:" and the digest of the user's key in hex. Two services that extend one history
// at once would lose what one of them recorded, so that a write is a compare-and-set: it
// happens only if the value is the one that was read. It is as durable as Redis is
// (appendonly, appendfsync).
type Redis struct {
	h      *Histories
	client *redis.Client
}

// NewRedis connects.
func NewRedis(ctx context.Context, o Options) (*Redis, error) {
	r := &Redis{h: &o.Histories, client: redis.NewClient(&redis.Options{
		Addr: o.Address, Password: o.Password, TLSConfig: o.TLS, DialTimeout: 2 * time.Second,
		ReadTimeout: 2 * time.Second, WriteTimeout: 2 * time.Second, ContextTimeoutEnabled: true, DisableIdentity: true,
	})}
	if err := r.client.Ping(ctx).Err(); err != nil {
		r.client.Close()
		return nil, fmt.Errorf("redis %s: %w", o.Address, err)
	}
	// Histories of another strategy or secret must not be extended.
	const name = "dejavu:layout"
	about := r.h.About()
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

// user is a user's key, and salt.
func (r *Redis) user(name string) (string, strategies.Salt) {
	digest := uint64(r.h.Secret.DigestString(name))
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], digest)
	return "dejavu:" + hex.EncodeToString(b[:]), r.h.Secret.Salt(digest)
}

// read reads a user's value.
func (r *Redis) read(ctx context.Context, key string) (v Value, err error) {
	raw, err := r.client.Get(ctx, key).Bytes()
	if err != nil && !errors.Is(err, redis.Nil) {
		return v, fmt.Errorf("%w: redis: %w", exposure.ErrUnavailable, err)
	}
	if v, err = r.h.Decode(raw); err != nil {
		return v, fmt.Errorf("redis: %s: %w", key, err)
	}
	return v, nil
}

// A change is what a call does to one user's value. Make says whether there is something
// to write; it may be called again on a value that another has written meanwhile.
type change struct {
	key  string
	make func(v *Value) bool
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
			v, err := r.h.Decode([]byte(raw))
			if err != nil {
				return fmt.Errorf("redis: %s: %w", c.key, err)
			}
			if c.make(&v) {
				writing = append(writing, c)
				swap.Eval(ctx, pipe, []string{c.key}, raw, v.Append(nil), r.h.Idle.Milliseconds())
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
			s, before := &requests[i], len(requests[i].Shown)
			key, salt := r.user(s.User)
			changes = append(changes, change{key, func(v *Value) bool {
				s.Shown = s.Shown[:before]
				return r.h.Show(v, salt, s)
			}})
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
		r.h.Seen(v, salt, candidates, seen)
	}
	return err
}

// Record implements exposure.Keeper.
func (r *Redis) Record(ctx context.Context, user string, request uint64, articles []strategies.ID) error {
	key, salt := r.user(user)
	return r.apply(ctx, []change{{key, func(v *Value) bool { return r.h.Record(v, salt, request, articles) }}})
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
	return r.h.Alive(v), err
}

// Partitions implements exposure.Keeper: every instance serves all users.
func (r *Redis) Partitions() (of int, here []int) { return 1, []int{0} }

// Ready implements exposure.Keeper.
func (r *Redis) Ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return r.client.Ping(ctx).Err()
}
