package instance

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dejavu/live/config"
	"dejavu/live/log/journal"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// listed lists the files of a folder, with their bytes.
func listed(t *testing.T, dir string) (all string) {
	t.Helper()
	strategytest.Must(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		b, _ := os.ReadFile(filepath.Join(dir, name)) // of a folder none
		all += fmt.Sprintf("%s %x\n", name, sha256.Sum256(b))
		return err
	}))
	return all
}

// A lost log is not silently replaced, nor what a folder records changed. On request a new log goes on behind the
// snapshots.
func TestLost(t *testing.T) {
	dir := t.TempDir()
	refused := func(want, lost string, change func(*config.Config)) {
		t.Helper()
		c := configured(t, "127.0.0.1:0", dir, "")
		change(&c)
		strategytest.Must(t, os.RemoveAll(filepath.Join(dir, lost)))
		before := listed(t, dir)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // one that is not refused serves until then
		defer cancel()
		err := Run(ctx, c, slog.New(slog.DiscardHandler))
		strategytest.Equal(t, listed(t, dir), before, "files after a start that was refused with %v", err)
		strategytest.ErrorSays(t, "a start", err, want)
		strategytest.Equal(t, strings.Contains(err.Error(), "\n"), false, "%v has several lines", err)
	}
	same, anew := func(*config.Config) {}, func(c *config.Config) { c.NewLog = true }
	for round, change := range []func(*config.Config){same, anew, anew} {
		address, stop := running(t, dir, "", change)
		get(t, address, "/readyz", "ready")
		c := calling(address)
		shown := strategytest.Value(c.Show(t.Context(), "ann", []strategies.ID{1, 2, 3}, 1))
		strategytest.EqualSlices(t, shown, []strategies.ID{strategies.ID(round + 1)}, "shown")
		strategytest.Must(t, stop())
		refused("--new-log: there is a log", "nothing", anew)
		refused("is empty, and there was a log", "log", same)
	}
	refused("was written with strategy beyond/matrix window 400 fpr 0.02, and the configuration says chain ", "nothing",
		func(c *config.Config) { c.Strategy = "chain" })
	refused("users are divided into 4 partitions, and the configuration says 8", "log",
		func(c *config.Config) { c.Partitions, c.NewLog = 8, true })
	path := filepath.Join(dir, "secret")
	secret := strategytest.Value(os.ReadFile(path))
	refused("secret does not exist, and there are histories", "secret", same)
	strategytest.Must(t, os.WriteFile(path, []byte("another of sixteen letters"), 0o600))
	refused("of the secret", "nothing", anew) // whose digests the snapshots have
	strategytest.Must(t, os.WriteFile(path, secret, 0o600))
	refused("is empty, and there was a log", "log", same)
	strategytest.Must(t, journal.Begin(filepath.Join(dir, "log"), 0)) // as an earlier version made it
	refused("has no identity, and the snapshots in", "nothing", same)
	strategytest.Must(t, os.RemoveAll(filepath.Join(dir, "log")), os.RemoveAll(filepath.Join(dir, "snapshots")))
	refused("is empty, and there was a log", "nothing", same) // the secret is left
}

// Without a configured strategy a service keeps its folder's. An earlier version recorded none: it was the chain.
func TestOldDefault(t *testing.T) {
	dir := t.TempDir()
	for round, file := range []string{"strategy: chain\nsnapshots: {on_stop: false}", "", ""} {
		address, stop := running(t, dir, file)
		get(t, address, "/readyz", "ready")
		shown := strategytest.Value(calling(address).Show(t.Context(), "ann", []strategies.ID{1, 2, 3}, 1))
		strategytest.EqualSlices(t, shown, []strategies.ID{strategies.ID(round + 1)}, "shown")
		strategytest.Must(t, stop())
		if round == 0 {
			strategytest.Must(t, os.Remove(filepath.Join(dir, "log", "identity")))
			written(t, filepath.Join(dir, "snapshots"), "partitions", "4\n")
		}
	}
	says(t, dir, "the one that the folder was written with", "strategy=chain window=401 fpr=0.0982 idle=24h0m0s")
	recorded := string(strategytest.Value(os.ReadFile(filepath.Join(dir, "snapshots", "partitions"))))
	strategytest.Contains(t, recorded, "\nstrategy chain window 0 fpr 0\n", "recorded")
}

// A clock that jumped while the service was down forgets nobody, with a warning; once believed, it does.
func TestClockAhead(t *testing.T) {
	dir := t.TempDir()
	seen := func(jump time.Duration, trust bool) (seen bool, page string) {
		address, stop := running(t, dir, fmt.Sprintf("idle: 2s\nclock: {jump: %v}", jump),
			func(c *config.Config) { c.TrustClock = trust })
		page = get(t, address, "/readyz", "ready")
		c, is := calling(address), make([]bool, 1)
		err := c.Seen(t.Context(), "ann", []strategies.ID{1}, is)
		if err == nil && jump == time.Hour {
			err = c.Record(t.Context(), "ann", []strategies.ID{1})
		}
		strategytest.Must(t, cmp.Or(err, stop()))
		return is[0], page
	}
	seen(time.Hour, false)
	time.Sleep(3 * time.Second)
	for _, trust := range []bool{false, true} {
		is, page := seen(time.Second, trust)
		warned := strings.Contains(page, "warning: the machine's clock")
		strategytest.Equal(t, is && warned, !trust, "the history is there, with a warning")
		strategytest.Equal(t, is || warned, !trust, "the history is there, or a warning")
	}
}
