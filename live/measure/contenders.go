package measure

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"dejavu/live/client"
	"dejavu/live/exposure"
)

// A refresh is what is asked of a contender: of these articles the first perPage that the user has not seen.
type refresh struct {
	user       int
	candidates []uint64
	shown      []uint64
}

// A contender is a way to have articles filtered and recorded.
type contender struct {
	name   string
	server *Process
	// show asks for refreshes in one call, and sets what each is answered with.
	show func(ctx context.Context, all []refresh) error
	// record fills histories with candidates, those of several users in one call.
	record func(ctx context.Context, all []refresh) error

	outcome         // of one refresh a call
	piped   outcome // of pipelines

	next        []int  // articles that each user was shown since the histories were filled
	empty, full memory // of the server, before that and then

	shown, shows atomic.Int64
}

// luaSet is what Redis is asked to do: a set for each user. Articles are numbers, which Redis keeps in least room.
const luaSet = `local seen, out = redis.call('SMISMEMBER', KEYS[1], unpack(ARGV, 2)), {}
for i, s in ipairs(seen) do if s == 0 and #out < tonumber(ARGV[1]) then out[#out + 1] = ARGV[i + 1] end end
if #out > 0 then redis.call('SADD', KEYS[1], unpack(out)) end
redis.call('EXPIRE', KEYS[1], 86400)
return out`

func words(first []any, articles []uint64) []any {
	for _, a := range articles {
		first = append(first, strconv.FormatUint(a, 10))
	}
	return first
}

// piped sends commands, together where there are several, and sets what they are answered with.
func piped(ctx context.Context, to *redis.Client, all []refresh, command func(r *refresh) []any) error {
	answers := make([]*redis.Cmd, len(all))
	if len(all) == 1 {
		answers[0] = to.Do(ctx, command(&all[0])...)
	} else {
		pipe := to.Pipeline()
		for i := range all {
			answers[i] = pipe.Do(ctx, command(&all[i])...)
		}
		_, _ = pipe.Exec(ctx) // each has its error
	}
	for i, answer := range answers {
		shown, err := answer.StringSlice()
		if err != nil {
			return err
		}
		for _, word := range shown {
			article, err := strconv.ParseUint(word, 10, 64)
			if err != nil {
				return err
			}
			all[i].shown = append(all[i].shown, article)
		}
	}
	return nil
}

func (c *comparison) goRedis(address string) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: address, PoolSize: c.Callers, MaxRetries: -1, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
	})
}

// redisSet is a Redis of its own.
func (c *comparison) redisSet(ctx context.Context) (*contender, error) {
	const more = "appendonly yes\nappendfsync %s\nappenddirname aof-%s\nset-max-intset-entries 4096\n"
	const file = "redis-set"
	p, err := c.redis(ctx, file, fmt.Sprintf(more, map[bool]string{true: "always", false: "everysec"}[c.durable], file))
	if err != nil {
		return nil, err
	}
	to := c.goRedis(p.Address)
	sha, err := to.ScriptLoad(ctx, luaSet).Result()
	if err != nil {
		return nil, err
	}
	show := func(most int) func(context.Context, []refresh) error {
		return func(ctx context.Context, all []refresh) error {
			return piped(ctx, to, all, func(r *refresh) []any {
				return words([]any{"EVALSHA", sha, 1, userName(r.user), most}, r.candidates)
			})
		}
	}
	return &contender{name: "Redis, SET", server: p, show: show(perPage), record: show(math.MaxInt32)}, nil
}

// service is an instance, over Redis's protocol and over HTTP: two contenders of one server.
func (c *comparison) service(ctx context.Context) (byRESP, byHTTP *contender, err error) {
	p, err := c.instance("service", fmt.Sprintf("embedded: {synced: %v}\n", c.durable))
	if err != nil {
		return nil, nil, err
	}
	if err := p.awaitReady(ctx); err != nil {
		return nil, nil, err
	}
	by := calling(client.Options{HTTP1: true, Once: true}, p.Address)
	show := func(most int) func(context.Context, []refresh) error {
		return func(ctx context.Context, all []refresh) (err error) {
			requests := make([]exposure.Show, len(all))
			for i, r := range all {
				requests[i] = exposure.Show{User: userName(r.user), Limit: most}
				for _, a := range r.candidates { // as the other door has them
					id := c.secret.DigestString(strconv.FormatUint(a, 10))
					requests[i].Candidates = append(requests[i].Candidates, id)
				}
			}
			if one := &requests[0]; len(all) == 1 {
				one.Shown, err = by.Show(ctx, one.User, one.Candidates, most)
			} else {
				err = by.ShowAll(ctx, requests)
			}
			for i, r := range requests {
				for _, id := range r.Shown {
					all[i].shown = append(all[i].shown, all[i].candidates[slices.Index(r.Candidates, id)])
				}
			}
			return err
		}
	}
	to := c.goRedis(p.door)
	byRESP = &contender{
		name: "Dejavu, Redis's protocol", server: p,
		record: func(ctx context.Context, all []refresh) error { // by no numbers, so that no call is remembered
			pipe := to.Pipeline()
			for _, r := range all {
				pipe.Do(ctx, words([]any{"RECORD", userName(r.user)}, r.candidates)...)
			}
			_, err := pipe.Exec(ctx)
			return err
		},
		show: func(ctx context.Context, all []refresh) error {
			return piped(ctx, to, all, func(r *refresh) []any {
				return words([]any{"SHOW", userName(r.user), perPage}, r.candidates)
			})
		},
	}
	return byRESP, &contender{name: "Dejavu, HTTP/1.1", server: p, show: show(perPage), record: show(atOnce)}, nil
}
