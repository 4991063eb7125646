package measure

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
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
	disk   func(ctx context.Context) (bytes int64, err error) // nil: histories are in memory

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
func (c *comparison) service(ctx context.Context, config string) (byRESP, byHTTP *contender, err error) {
	p, err := c.instance("service", fmt.Sprintf("resp: OTHER\nembedded: {synced: %v}\n%s", c.durable, config))
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
	to := c.goRedis(p.other)
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

const sqlShow = `WITH chosen AS (SELECT a FROM unnest($2::bigint[]) WITH ORDINALITY AS c(a, n)
  WHERE NOT EXISTS (SELECT 1 FROM seen WHERE "user" = $1 AND article = a) ORDER BY n LIMIT $3)
INSERT INTO seen SELECT $1, a, now() FROM chosen ON CONFLICT DO NOTHING RETURNING article`

// initdb is where PostgreSQL's own is, which Debian does not have on the path.
func initdb() (string, error) {
	if all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(all) > 0 {
		return all[len(all)-1], nil
	}
	return exec.LookPath("initdb")
}

// postgres is a database of its own, of a user's own where this process is the superuser, whom it does not serve.
func (c *comparison) postgres(ctx context.Context) (*contender, error) {
	initdb, err := initdb()
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	bin, err := filepath.EvalSymlinks(initdb)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(c.dir, "postgres")
	if err := os.Mkdir(data, 0o700); err != nil {
		return nil, err
	}
	var as *syscall.Credential
	if os.Getuid() == 0 {
		nobody, err := user.Lookup("nobody")
		if err != nil {
			return nil, err
		}
		uid, _ := strconv.Atoi(nobody.Uid)
		gid, _ := strconv.Atoi(nobody.Gid)
		as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(data, uid, gid); err != nil {
			return nil, err
		}
	}
	init := exec.CommandContext(ctx, initdb, "-D", data, "-A", "trust", "-U", "dejavu", "-N", "-E", "UTF8", "--locale=C")
	init.Dir, init.SysProcAttr = data, &syscall.SysProcAttr{Credential: as}
	if b, err := init.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, b)
	}
	const config = "listen_addresses = '127.0.0.1'\nport = PORT\nunix_socket_directories = ''\n" +
		"shared_buffers = '512MB'\nmax_connections = 100\nmax_wal_size = '4GB'\nsynchronous_commit = %s\n" +
		"data_directory = 'DIR/postgres'\nhba_file = 'DIR/postgres/pg_hba.conf'\n" +
		"ident_file = 'DIR/postgres/pg_ident.conf'\n"
	p, err := c.server("postgres-server", fmt.Sprintf(config, map[bool]string{true: "on", false: "off"}[c.durable]),
		filepath.Join(filepath.Dir(bin), "postgres"), "-c")
	if err != nil {
		return nil, err
	}
	file := &p.command[len(p.command)-1]
	if p.user = as; as != nil {
		if err := os.Chown(*file, int(as.Uid), int(as.Gid)); err != nil {
			return nil, err
		}
	}
	*file = "config_file=" + *file
	if err := p.startListening(ctx); err != nil {
		return nil, err
	}
	return c.table(ctx, p)
}

// table is the contender of a database that listens.
func (c *comparison) table(ctx context.Context, p *Process) (*contender, error) {
	to, err := pgxpool.New(ctx, fmt.Sprintf("postgres://dejavu@%s/postgres?pool_max_conns=%d", p.Address, c.Callers))
	if err != nil {
		return nil, err
	}
	err = await(ctx, "the database answers", func() bool { return to.Ping(ctx) == nil }, p)
	if err == nil {
		_, err = to.Exec(ctx, `CREATE TABLE seen ("user" int, article bigint, at timestamptz, PRIMARY KEY ("user", article))`)
	}
	if err != nil {
		return nil, err
	}
	return &contender{
		name: "PostgreSQL", server: p,
		show: func(ctx context.Context, all []refresh) error {
			var batch pgx.Batch
			for i := range all {
				r := &all[i]
				batch.Queue(sqlShow, r.user, r.candidates, perPage).Query(func(rows pgx.Rows) (err error) {
					r.shown, err = pgx.CollectRows(rows, pgx.RowTo[uint64])
					return err
				})
			}
			return to.SendBatch(ctx, &batch).Close()
		},
		record: func(ctx context.Context, all []refresh) error {
			var rows [][]any
			now := time.Now()
			for _, r := range all {
				for _, a := range r.candidates {
					rows = append(rows, []any{r.user, a, now})
				}
			}
			columns := []string{"user", "article", "at"}
			_, err := to.CopyFrom(ctx, pgx.Identifier{"seen"}, columns, pgx.CopyFromRows(rows))
			return err
		},
		disk: func(ctx context.Context) (bytes int64, err error) {
			err = to.QueryRow(ctx, `SELECT pg_total_relation_size('seen')`).Scan(&bytes)
			return bytes, err
		},
	}, nil
}
