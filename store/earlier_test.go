package store_test

import (
	"archive/zip"
	"fmt"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"dejavu/experiments/catalogue"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Snapshots of before strategies mixed IDs, of every strategy of the catalogue, salted and not, open; their users'
// lives go on, and are saved and opened again, with every answer and every byte that the program of then had. In
// the archive there is each snapshot, of two users, and "lives", a digest of what came after it.
func TestEarlierSnapshots(t *testing.T) {
	archive := strategytest.Value(zip.OpenReader("testdata/earlier.zip"))
	defer archive.Close()
	read := func(name string) string {
		f := strategytest.Value(archive.Open(name))
		data := strategytest.Value(io.ReadAll(f))
		return string(data)
	}
	articles := func(user string, from, n int) (ids []strategies.ID) {
		for i := range n {
			ids = append(ids, strategies.XXHashString(fmt.Sprint(user, from+i)))
		}
		return ids
	}
	secret := strategytest.Value(strategies.NewSecret([]byte("a key of some length")))
	lives := read("lives")
	since := map[string]bool{"matrix": true} // strategies that the program of then did not have
	for name := range since {
		if _, err := archive.Open(name + ".salted"); err == nil || strings.Contains(lives, name) {
			t.Errorf("%s is in the archive, and is left out", name)
		}
	}
	for _, e := range catalogue.All() {
		if since[path.Base(e.Name)] {
			continue
		}
		for _, unsalted := range []bool{false, true} {
			name := path.Base(e.Name) + map[bool]string{true: ".unsalted", false: ".salted"}[unsalted]
			c := store.Config{Strategy: catalogue.Must(e.Make()), Secret: secret, Unsalted: unsalted, Idle: 1000}
			open := func(snapshot string) *store.Store[string] {
				s, about, err := store.ReadSnapshot[string](t.Context(), strings.NewReader(snapshot), c, e.Name)
				strategytest.Must(t, err)
				strategytest.Equal(t, about.Version, 2, "%s: version", name)
				return s
			}
			s, digest := open(read(name)), xxhash.New()
			for round := range 4 {
				for _, user := range []string{"ann", "bob"} {
					ids := articles(user, 0, 1000)
					fmt.Fprint(digest, s.Seen(user, 300, ids, nil))
					s.Record(user, 300, articles(user, 120+40*round, 40))
					_, _ = digest.Write(s.History(user, 300, nil))
				}
				var again strings.Builder
				_, err := s.WriteSnapshot(t.Context(), &again, e.Name, 300, nil)
				strategytest.Must(t, err)
				s.Close()
				s = open(again.String())
			}
			s.Close()
			if want := fmt.Sprintf("%s %016x\n", name, digest.Sum64()); !strings.Contains(lives, want) {
				t.Errorf("the lives are %s, want %s", want, lives)
			}
		}
	}
}
