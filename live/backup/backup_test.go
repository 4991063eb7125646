package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"dejavu/chain"
	"dejavu/live/backup"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// server starts a PostgreSQL, where one is installed, until the test ends. Crash kills and restarts it.
func server(t testing.TB) (dsn string, crash func()) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, filepath.Dir(path))
	}
	if len(found) == 0 {
		t.Skip("left out: there is no PostgreSQL")
	}
	dir := strategytest.Value(os.MkdirTemp("", "pg")) // a socket's path must be short
	t.Cleanup(func() { os.RemoveAll(dir) })
	run := func(tool string, args ...string) {
		cmd := exec.Command(filepath.Join(found[0], tool), append(args, "-D", dir+"/data")...)
		if owner, err := user.Lookup("postgres"); os.Geteuid() == 0 { // for whom it does not start
			strategytest.Must(t, err)
			uid, _ := strconv.Atoi(owner.Uid)
			strategytest.Must(t, os.Chown(dir, uid, -1))
			cmd = exec.Command("runuser", append([]string{"-u", "postgres", "--"}, cmd.Args...)...)
		}
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", tool, err, out)
		}
	}
	start := func() { run("pg_ctl", "start", "-l", dir+"/log", "-o", "-c listen_addresses='' -k "+dir) }
	stop := func() { run("pg_ctl", "stop", "-m", "immediate") } // without a checkpoint
	run("initdb", "-N", "-A", "trust", "-U", "postgres")
	start()
	t.Cleanup(stop)
	return "host=" + dir + " user=postgres", func() { stop(); start() }
}

// A mortal connection kills the process once so many bytes were written to it, in the middle of a write.
type mortal struct {
	net.Conn
	left int
}

func (m *mortal) Write(p []byte) (int, error) {
	if m.left -= len(p); m.left >= 0 {
		return m.Conn.Write(p)
	}
	_, _ = m.Conn.Write(p[:m.left+len(p)])
	self, _ := os.FindProcess(os.Getpid())
	_ = self.Kill()
	select {}
}

func connect(t testing.TB, dsn string, left int) *pgx.Conn {
	c := strategytest.Value(pgx.ParseConfig(dsn))
	if left > 0 {
		c.DialFunc = func(_ context.Context, network, address string) (net.Conn, error) {
			conn, err := net.Dial(network, address)
			return &mortal{conn, left}, err
		}
	}
	db := strategytest.Value(pgx.ConnectConfig(t.Context(), c))
	t.Cleanup(func() { db.Close(context.Background()) })
	return db
}

const (
	about = "chain.Paper, IDs drawn"
	now   = store.Timestamp(9)
)

func config(users int) store.Config {
	strategy, _ := chain.New(chain.Paper)
	return store.Config{Strategy: strategy, Users: users, Unsalted: true}
}

// histories is a store whose users were shown half a life of articles, or in two steps a whole one.
func histories(users, steps int) *store.Store[int] {
	s, _ := store.New[int](config(users))
	population, _ := workload.NewFull(2016, users)
	ids := make([]strategies.ID, workload.MaxShown)
	for user := range users {
		shown := ids[:population.Shown(user)*steps/2]
		population.Reader(user).IDs(shown, 0)
		s.Record(user, store.Timestamp(steps), shown)
	}
	return s
}

// compare opens the snapshot, which must have the histories and times of want.
func compare(t testing.TB, db backup.Database, want *store.Store[int]) {
	t.Helper()
	users := want.Stats().Users
	got, snapshot, err := backup.Open[int](t.Context(), db, "histories", config(users), about)
	strategytest.Must(t, err)
	if snapshot.Histories != users || snapshot.Now != now {
		t.Errorf("%d histories at time %d, want %d at %d", snapshot.Histories, snapshot.Now, users, now)
	}
	for user := range users {
		a, b := got.History(user, 0, nil), want.History(user, 0, nil)
		last, _ := got.Last(user)
		if was, _ := want.Last(user); !bytes.Equal(a, b) || last != was {
			t.Fatalf("user %d: %d bytes at time %d, want %d at %d", user, len(a), last, len(b), was)
		}
	}
}

// Whenever the process that saves is killed, the database has the snapshot of before, to the byte; then that of after,
// and keeps it when it is killed itself.
func TestSaveKilled(t *testing.T) {
	const users = 5000
	save := func(db backup.Database, s *store.Store[int]) error {
		_, err := backup.Save(t.Context(), db, "histories", s, about, now)
		return err
	}
	if dsn := os.Getenv("BACKUP_DSN"); dsn != "" { // the process that is killed
		left, _ := strconv.Atoi(os.Getenv("BACKUP_LEFT"))
		strategytest.Must(t, save(connect(t, dsn, left), histories(users, 2)))
		return
	}
	dsn, crash := server(t)
	db, before, after := connect(t, dsn, 0), histories(users, 1), histories(users, 2)
	strategytest.ErrorSays(t, "without the table", save(db, before), "backup.Schema")
	strategytest.Value(db.Exec(t.Context(), backup.Schema))
	var both errgroup.Group // wait for each other
	for range 2 {
		other := connect(t, dsn, 0)
		both.Go(func() error { return save(other, before) })
	}
	strategytest.Must(t, both.Wait())
	compare(t, db, before)
	child := func(left int) (code int) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSaveKilled$")
		cmd.Env = append(os.Environ(), "BACKUP_DSN="+dsn, fmt.Sprint("BACKUP_LEFT=", left))
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode()
	}
	all := int(after.Stats().Payload) + 12*users
	for _, left := range []int{1000, all / 3, all - 500_000, all} {
		if code := child(left); code != -1 {
			t.Fatalf("to be killed after %d bytes, it has ended with %d", left, code)
		}
		compare(t, db, before)
	}
	if code := child(0); code != 0 {
		t.Fatalf("it has ended with %d", code)
	}
	compare(t, db, after)
	crash()
	db = connect(t, dsn, 0)
	compare(t, db, after)

	refused := func(name, about string, want error) {
		t.Helper()
		if _, _, err := backup.Open[int](t.Context(), db, name, config(users), about); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	refused("none", about, fs.ErrNotExist)
	refused("histories", "another strategy", store.ErrMismatch)
	strategytest.Value(db.Exec(t.Context(), `delete from dejavu_snapshots where part = 1`))
	refused("histories", about, store.ErrDamaged)
}

// Beside a file: MB/s, and the bytes of the table with its index over those of the snapshot.
func BenchmarkSnapshot(b *testing.B) {
	const users = 200_000
	dsn, _ := server(b)
	ctx, db, s, path := b.Context(), connect(b, dsn, 0), histories(users, 2), filepath.Join(b.TempDir(), "histories")
	_, err := db.Exec(ctx, backup.Schema)
	strategytest.Must(b, err)
	saved, err := backup.Save(ctx, db, "histories", s, about, now)
	strategytest.Must(b, err)
	var bytes float64
	strategytest.Must(b, db.QueryRow(ctx, `select pg_total_relation_size('dejavu_snapshots')`).Scan(&bytes))
	run := func(name string, do func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(saved.Bytes)
			for b.Loop() {
				strategytest.Must(b, do())
			}
			b.ReportMetric(bytes/float64(saved.Bytes), "table-B/B")
		})
	}
	run("save/file", func() (err error) { _, err = s.Save(ctx, path, about, now); return err })
	run("save/database", func() (err error) { _, err = backup.Save(ctx, db, "histories", s, about, now); return err })
	run("open/file", func() (err error) { _, _, err = store.Open[int](ctx, path, config(users), about); return err })
	run("open/database", func() (err error) {
		_, _, err = backup.Open[int](ctx, db, "histories", config(users), about)
		return err
	})
}
