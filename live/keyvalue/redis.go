package keyvalue

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// RedisOptions are those of a Redis.
type RedisOptions struct {
	_              struct{}
	Address        string
	User, Password string // no user is Redis's default one
	TLS            *tls.Config
	Idle           time.Duration // as Histories has it: then Redis drops a value

	Dial func(ctx context.Context, network, address string) (net.Conn, error) // nil: the network's own
}

// A Redis is a Database, as durable as Redis is (appendfsync): a user's value is under "dejavu:" and the digest in hex.
type Redis struct {
	client *redis.Client
	idle   time.Duration
}

// NewRedis connects.
func NewRedis(ctx context.Context, o RedisOptions) (*Redis, error) {
	logging.Disable() // what it says is in the errors
	r := &Redis{idle: o.Idle, client: redis.NewClient(&redis.Options{
		Addr: o.Address, Username: o.User, Password: o.Password, TLSConfig: o.TLS, Dialer: o.Dial,
		DialTimeout: 2 * time.Second, ReadTimeout: 2 * time.Second, WriteTimeout: 2 * time.Second,
		ContextTimeoutEnabled: true, DisableIdentity: true,
	})}
	if err := r.client.Ping(ctx).Err(); err != nil {
		_ = r.client.Close()
		return nil, fmt.Errorf("redis %s: %w", o.Address, err)
	}
	return r, nil
}

// Close ends the connections.
func (r *Redis) Close() error { return r.client.Close() }

// Claim implements Database.
func (r *Redis) Claim(ctx context.Context, about string) (string, error) {
	was, err := r.client.SetArgs(ctx, "dejavu:layout", about, redis.SetArgs{Mode: "NX", Get: true}).Result()
	if errors.Is(err, redis.Nil) {
		return about, nil
	}
	if err != nil {
		return "", fmt.Errorf("redis: %w", err)
	}
	return was, nil
}

func keyOf(user uint64) string { return fmt.Sprintf("dejavu:%016x", user) }

// Get implements Database, in one round trip.
func (r *Redis) Get(ctx context.Context, users []uint64) ([][]byte, error) {
	keys := make([]string, len(users))
	for i, user := range users {
		keys[i] = keyOf(user)
	}
	read, err := r.client.MGet(ctx, keys...).Result()
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	values := make([][]byte, len(users))
	for i := range read {
		if s, ok := read[i].(string); ok {
			values[i] = []byte(s)
		}
	}
	return values, nil
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

// Swap implements Database, in one round trip.
func (r *Redis) Swap(ctx context.Context, changes []Change) ([]bool, error) {
	pipe := r.client.Pipeline()
	for _, c := range changes {
		swap.Eval(ctx, pipe, []string{keyOf(c.User)}, c.Old, c.New, r.idle.Milliseconds())
	}
	answers, err := pipe.Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	made := make([]bool, len(changes))
	for i, answer := range answers {
		n, err := answer.(*redis.Cmd).Int()
		made[i] = err == nil && n == 1
	}
	return made, nil
}
