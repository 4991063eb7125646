package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"dejavu/chain"
	"dejavu/live/backup"
	"dejavu/store"
	"dejavu/strategies"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// server starts a PostgreSQL, where one is installed, until the test ends. Crash kills and restarts it.
func server(t testing.TB) (dsn string, crash func()) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, filepath.Dir(path))
	}
	if len(found) == 0 {
		t.Skip("left out: there is no PostgreSQL")
	}
	dir, err := os.MkdirTemp("", "pg") // a socket's path must be short
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	run := func(tool string, args ...string) {
		cmd := exec.Command(filepath.Join(found[0], tool), append(args, "-D", dir+"/data")...)
		if owner, err := user.Lookup("postgres"); os.Geteuid() == 0 { // for whom it does not start
			must(t, err)
			uid, _ := strconv.Atoi(owner.Uid)
			must(t, os.Chown(dir, uid, -1))
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
	c, err := pgx.ParseConfig(dsn)
	must(t, err)
	if left > 0 {
		c.DialFunc = func(_ context.Context, network, address string) (net.Conn, error) {
			conn, err := net.Dial(network, address)
			return &mortal{conn, left}, err
		}
	}
	db, err := pgx.ConnectConfig(t.Context(), c)
	must(t, err)
	t.Cleanup(func() { db.Close(context.Background()) })
	return db
}

const about = "chain.Paper, IDs drawn"

func config(users int) store.Config {
	strategy, _ := chain.New(chain.Paper)
	return store.Config{Strategy: strategy, Users: users, Unsalted: true}
}

// histories is a store whose users were shown 1 to 600 articles in each of some steps.
func histories(users, steps int) *store.Store[int] {
	s, _ := store.New[int](config(users))
	for i := range users * steps {
		r := rand.New(rand.NewPCG(uint64(i), 0))
		ids := make([]strategies.ID, 1+r.IntN(600))
		for j := range ids {
			ids[j] = strategies.ID(r.Uint64())
		}
		s.Record(i%users, store.Timestamp(1+i/users), ids)
	}
	return s
}

// compare opens the snapshot, which must have the histories and times of want.
func compare(t testing.TB, db backup.Database, want *store.Store[int]) {
	t.Helper()
	users := want.Stats().Users
	got, _, err := backup.Open[int](t.Context(), db, "histories", config(users), about)
	must(t, err)
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
		_, err := backup.Save(t.Context(), db, "histories", s, about, 0)
		return err
	}
	if dsn := os.Getenv("BACKUP_DSN"); dsn != "" { // the process that is killed
		left, _ := strconv.Atoi(os.Getenv("BACKUP_LEFT"))
		must(t, save(connect(t, dsn, left), histories(users, 2)))
		return
	}
	dsn, crash := server(t)
	db, before, after := connect(t, dsn, 0), histories(users, 1), histories(users, 2)
	if err := save(db, before); err == nil || !strings.Contains(err.Error(), "backup.Schema") {
		t.Fatalf("without the table: %v", err)
	}
	_, err := db.Exec(t.Context(), backup.Schema)
	must(t, err)
	must(t, save(db, before))
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

	for _, w := range []struct {
		name, sql, about string
		want             error
	}{
		{"none", "select 1", about, fs.ErrNotExist},
		{"histories", "select 1", "another strategy", store.ErrMismatch},
		{"histories", "delete from dejavu_snapshots where part = 1", about, store.ErrDamaged},
	} {
		_, err := db.Exec(t.Context(), w.sql)
		must(t, err)
		if _, _, err := backup.Open[int](t.Context(), db, w.name, config(users), w.about); !errors.Is(err, w.want) {
			t.Errorf("%s, %s: %v, want %v", w.name, w.sql, err, w.want)
		}
	}
}

// Beside a file, each save in turn: MB/s, and the bytes of table and index over the snapshot's.
func BenchmarkSnapshot(b *testing.B) {
	const users = 200_000
	dsn, _ := server(b)
	db, s, path := connect(b, dsn, 0), histories(users, 2), filepath.Join(b.TempDir(), "histories")
	_, err := db.Exec(b.Context(), backup.Schema)
	must(b, err)
	saved, err := backup.Save(b.Context(), db, "histories", s, about, 0)
	must(b, err)
	var bytes int64
	must(b, db.QueryRow(b.Context(), `select pg_total_relation_size('dejavu_snapshots')`).Scan(&bytes))
	_, err = s.Save(b.Context(), path, about, 0)
	must(b, err)
	for name, do := range map[string]func() error{
		"save/file":     func() error { _, err := s.Save(b.Context(), path, about, 0); return err },
		"save/database": func() error { _, err := backup.Save(b.Context(), db, "histories", s, about, 0); return err },
		"open/file":     func() error { _, _, err := store.Open[int](b.Context(), path, config(users), about); return err },
		"open/database": func() error {
			_, _, err := backup.Open[int](b.Context(), db, "histories", config(users), about)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(saved.Bytes)
			for b.Loop() {
				must(b, do())
			}
			b.ReportMetric(float64(bytes)/float64(saved.Bytes), "table-B/B")
		})
	}
}
