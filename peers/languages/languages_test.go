package languages_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dejavu/bloom"
	"dejavu/peers/languages"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

const (
	segment    = languages.Request * languages.Segment
	candidates = 3 * segment
)

// write writes lists of digests of numbers: what was shown is of those below 4000.
func write(file string) error {
	var shown, unseen, seen, mixed, articles []strategies.ID
	digest := func(n int) strategies.ID { return strategies.XXHash(strconv.AppendInt(nil, int64(n), 10)) }
	for i := range languages.Users * languages.Shown {
		shown = append(shown, digest(i))
	}
	for i := range candidates {
		user := i / languages.Request % languages.Users
		own := digest(user*languages.Shown + i%languages.Shown) // shown to the user who is asked
		unseen, seen = append(unseen, digest(1_000_000+i)), append(seen, own)
		if mixed = append(mixed, own); i%2 == 1 {
			mixed[i] = unseen[i]
		}
	}
	for i := range 4 * languages.Records {
		articles = append(articles, digest(2_000_000+i))
	}
	return languages.WriteLists(file, shown, unseen, seen, mixed, articles)
}

// started builds and starts a program; it ends with the test.
func started(t *testing.T, p languages.Program) (*languages.Process, error) {
	t.Helper()
	dir := t.TempDir()
	built := strategytest.Value(p.Build(dir))
	file := filepath.Join(dir, "lists")
	strategytest.Must(t, write(file))
	r, err := built.Start(file)
	if err == nil {
		t.Cleanup(func() { r.Close() })
	}
	return r, err
}

// questions asks everything, and returns the first error. Of a library it wants
// the geometry that its program says, and false positives as theory has them.
func questions(t *testing.T, p *languages.Process) error {
	t.Helper()
	for _, kind := range []string{"single", "chain"} {
		for list, shown := range map[string]int{"unseen": 0, "seen": candidates, "mixed": candidates / 2} {
			ns, err := p.Ask(kind, list, candidates, shown)
			if err != nil {
				return err
			}
			if len(ns) != 3 || ns[1] <= 0 {
				t.Errorf("%s candidates of a %s take %v", list, kind, ns)
			}
		}
		for _, n := range []int{10, 500} {
			ns, err := p.Record(kind, n)
			if err != nil {
				return err
			}
			if len(ns) != 4 || ns[1] <= 0 {
				t.Errorf("%d articles at once into a %s take %v", n, kind, ns)
			}
		}
	}
	const filters = 200
	file := filepath.Join(t.TempDir(), "keys")
	err := languages.WriteKeys(file, filters*2*languages.Shown, func(dst []byte, i int) []byte {
		return append(dst, []byte(strings.Repeat("k", i%7))...)
	})
	strategytest.Must(t, err)
	answered, err := p.Rates(file, filters)
	if err != nil {
		return err
	}
	strategytest.Equal(t, len(answered), filters, "filters answer")
	for i, f := range answered {
		strategytest.AtMost(t, f.Denied, 0, "filter %d denies of its keys", i)
	}
	return nil
}

// remembers asks for the memory of users, which a program is asked first if at all.
func remembers(t *testing.T, p *languages.Process) {
	t.Helper()
	bytes, objects, err := p.Memory("chain", 2000)
	if err != nil || bytes < 2000*500 || bytes > 2000*10000 || objects < 1000 || objects > 2000*50 {
		t.Errorf("2000 users have %.0f bytes and %.0f objects, %v", bytes, objects, err)
	}
}

// Each program, where its tools are there, answers everything as its library should.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds three programs")
	}
	for _, p := range languages.All() {
		t.Run(p.Library, func(t *testing.T) {
			if tool := p.Missing(); tool != "" {
				t.Skipf("%s is missing", tool)
			}
			if os.Getenv("PEERS_LANGUAGES") == "" {
				t.Skip("PEERS_LANGUAGES is not set: building takes a network, and some ten seconds")
			}
			r := strategytest.Value(started(t, p))
			if r.One.Hashes != 6 || r.Link.Hashes != 6 {
				t.Errorf("the geometries are %v and %v, want 6 hashes", r.One, r.Link)
			}
			remembers(t, r)
			strategytest.Must(t, questions(t, r))
		})
	}
}

func TestProcess(t *testing.T) {
	r := strategytest.Value(started(t, program(t, none)))
	strategytest.Equal(t, r.Link, (bloom.Geometry{Bits: 812, Hashes: 6}), "a link is")
	remembers(t, r)
	strategytest.Must(t, questions(t, r))
	strategytest.Must(t, r.Close())
}

// A program that answers wrongly is named, with what is wrong.
func TestFaults(t *testing.T) {
	for f, want := range map[fault]string{
		denies:   "want ",
		believes: "candidates as seen, want ",
		forgets:  "recognises 99 of the newest 100 articles",
		dies:     "the program ended: out of breath",
		stutters: `answers "error no such question": want at least `,
		other:    "the version is 2.0, want 1.0",
		smaller:  "its filters have [4000 812] bits, want [4064 812]",
	} {
		r, err := started(t, program(t, f))
		if err == nil {
			err = questions(t, r)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "exact") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want exact and %s", f, err, want)
		}
	}
}

// A command that is not there, ends at once or fails is in the error, with what it printed.
func TestNotStarted(t *testing.T) {
	p := program(t, none)
	absent, failing := p, p
	absent.Command = []string{"no-such-command"}
	failing.Steps = [][]string{{"sh", "-c", "echo no network; exit 3"}}
	for want, p := range map[string]languages.Program{
		`exact: exec: "no-such-command": executable file not found in $PATH`: absent,
		"exact: the program ended: open nowhere: no such file or directory":  p,
		"exact: sh -c echo no network; exit 3: exit status 3\nno network\n":  failing,
	} {
		built, err := p.Build(t.TempDir())
		if err == nil {
			_, err = built.Start("nowhere")
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// The steps of a program find its sources, in their directory, and what they are told.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	p := languages.Program{
		Source: "rust", Env: []string{"TOLD=this"}, Command: []string{"no-such-command"},
		Steps: [][]string{{"sh", "-c", "test -e Cargo.toml && echo $TOLD > $DIR/made"}},
	}
	strategytest.Must(t, strategytest.ErrorOf(p.Build(dir)))
	strategytest.Equal(t, string(strategytest.Value(os.ReadFile(filepath.Join(dir, "made")))), "this\n", "a step made")
}

// What is missing is named: a command, or the package that has the headers.
func TestMissing(t *testing.T) {
	headers := func(compiler string) languages.Headers {
		return languages.Headers{Source: "#include <it>", Compiler: []string{"sh", "-c", compiler}, Package: "libit-dev"}
	}
	misses := func(p languages.Program, want string) {
		t.Helper()
		strategytest.Equal(t, p.Missing(), want, "%+v: is missing", p)
	}
	misses(languages.Program{}, "")
	misses(languages.Program{Tools: []string{"sh", "no-such-command"}}, "no-such-command")
	misses(languages.Program{Tools: []string{"sh"}, Headers: headers("grep -q '<it>'")}, "")
	misses(languages.Program{Tools: []string{"sh"}, Headers: headers("grep -q other")}, "libit-dev")
}

// The rates of blocked filters are those of filters made of integers: a block and six words, chosen by
// numbers at random. Over 4000 filters of 500 queries the standard error is below 0.6 % of the rate, so that
// another seed would fail this less than once in a million runs.
func TestBlockedFPR(t *testing.T) {
	const blocks, words, n, filters = 22, 6, 500, 4000
	p := languages.All()[4]
	r := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for range filters {
		var table [blocks][words]uint32
		for range n {
			for w, b := 0, &table[r.IntN(blocks)]; w < words; w++ {
				b[w] |= 1 << r.IntN(32)
			}
		}
		for range n {
			has := true
			for w, b := 0, &table[r.IntN(blocks)]; w < words; w++ {
				has = has && b[w]>>r.IntN(32)&1 == 1
			}
			if has {
				hits++
			}
		}
	}
	got, want := float64(hits)/(filters*n), p.FPR(bloom.Geometry{Bits: p.Bits[0], Hashes: words}, n)
	strategytest.Near(t, got/want, 1, 0.03, "%s: the filters' rate over theory", p.Library)
	strategytest.AtLeast(t, math.Abs(got/bloom.Exact(n, bloom.Geometry{Bits: p.Bits[0], Hashes: words})-1), 0.1,
		"%.5f passes for the rate of a plain filter", got)
}

// The versions that programs claim to have are those they are built with.
func TestVersions(t *testing.T) {
	for _, p := range languages.All() {
		file := map[string]string{"Rust": "rust/Cargo.toml", "Java": "java/pom.xml"}[p.Language]
		if file == "" {
			continue // its program says it when it starts
		}
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), p.Version) {
			t.Errorf("%s does not name %s %s, %v", file, p.Library, p.Version, err)
		}
	}
}
