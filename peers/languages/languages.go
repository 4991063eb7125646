// Package languages asks filter libraries of other languages than Go. Each
// answers by a small program of its own, in its own language, which is built
// once, lives as long as it is asked, and is asked a question at a time: so its
// times can be taken in turn with those of other libraries, and its compiler's
// work stays done.
//
// A program is started with a file of lists (see WriteLists) and six numbers:
// the bits and hashes that one filter is asked for and the articles it is to
// hold, and the same for a link of a chain of five. It prints the bits and
// hashes that the two really have, and behind them the library's version where
// that is known only when it runs. From then on it reads questions, a line each,
// and answers each by a line. KIND is single or chain: one filter, which is
// emptied (or made anew, where it cannot be) before it would hold more articles
// than it is made for, or five, of which the oldest is emptied when the newest
// is full.
//
//	ask KIND LIST      SEEN NS NS ...          LIST is unseen, seen or mixed
//	record KIND N      NEWEST NS NS ...        N articles at once
//	memory KIND N      BYTES OBJECTS           N users, all of them alive
//	rates FILE         HITS DENIED HITS ...    FILE is the rest of the line
//
// To ask, request r of a list, of Request candidates, goes to user r modulo
// Users, who was shown his Shown articles before; SEEN is how many candidates
// the filters reported as seen. NS are nanoseconds of Segment requests each. To
// record, one user goes on reading the last list from its start; NS are
// nanoseconds of Records articles each, and NEWEST is how many of the last
// Newest ones are recognised then. Memory is that of N users shown Shown
// articles each: growth of the resident set and blocks on the heap, or bytes and
// objects alive after a collection where the language has one. Rates makes a
// filter of each 2 * Shown keys of a file (see WriteKeys): the first half are its
// own, of which it reports DENIED as unseen, and of the others HITS as seen. Any
// question may be answered by a line that begins with "error".
//
// What a program costs a caller is two context switches a question, outside of
// the times it reports.
package languages

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"dejavu/bloom"
)

// What programs and callers agree upon.
const (
	Users   = 8    // asked in turn; together they stay in the nearest cache
	Shown   = 500  // articles of each
	Request = 40   // candidates
	Segment = 128  // requests between two looks at the clock
	Records = 1500 // articles between two looks at the clock
	Newest  = 100  // articles that must be recognised after recording
)

// A Program asks one library.
type Program struct {
	Library  string // short, for tables
	Language string
	Version  string // of the library; one that says another is refused
	Options  string // with which it is compiled
	Takes    string // how articles go in
	Rounds   string // what becomes of the geometry asked for
	Bits     [2]int // of one filter and of a link, then

	Source  string     // folder of its sources
	Tools   []string   // commands that are needed
	Headers Headers    // that are needed
	Env     []string   // of Steps
	Steps   [][]string // commands that build it in a directory, DIR
	Command []string   // that starts it then
	blocked bool       // whether an article's bits lie in one block
}

// Headers are those of a library, which a Debian package has.
type Headers struct {
	Source   string   // names them
	Compiler []string // preprocesses that
	Package  string
}

// dir stands for the directory in which a program is built.
const dir = "$DIR"

//go:embed rust java c cpp
var sources embed.FS

// All lists the programs.
func All() []Program { return []Program{fastbloom, guava, libbloom, boost, blocked} }

var fastbloom = Program{
	Library: "fastbloom", Language: "Rust", Version: "0.17.0",
	Options: "cargo build --release, lto, codegen-units=1, target-cpu=native",
	Takes:   "a 64-bit hash",
	Rounds:  "bits up to a multiple of 64",
	Bits:    [2]int{4096, 832},
	Source:  "rust", Tools: []string{"cargo"}, Env: []string{"RUSTFLAGS=-C target-cpu=native"},
	Steps:   [][]string{{"cargo", "build", "--release", "--locked", "--quiet", "--target-dir", "target"}},
	Command: []string{dir + "/target/release/peers"},
}

var guava = Program{
	Library: "Guava", Language: "Java", Version: "33.8.0-jre",
	Options: "the Java virtual machine's defaults, warmed up",
	Takes:   "a Long, hashed by murmur3",
	Rounds:  "bits up to a multiple of 64; cannot be cleared, another is made",
	Bits:    [2]int{4096, 832},
	Source:  "java", Tools: []string{"java", "javac", "mvn"},
	Steps: [][]string{
		{"mvn", "--batch-mode", "--quiet", "dependency:copy-dependencies", "-DoutputDirectory=" + dir + "/lib"},
		{"javac", "-cp", dir + "/lib/*", "-d", dir, "Peers.java"},
	},
	Command: []string{"java", "-cp", dir + string(filepath.ListSeparator) + dir + "/lib/*", "Peers"},
}

var libbloom = Program{
	Library: "libbloom", Language: "C", Version: "1.6",
	Options: "cc -O3 -march=native -flto, Debian's shared library",
	Takes:   "eight bytes, hashed by murmur2 twice",
	Rounds:  "takes a filter for 1000 articles at least, and then no fewer than 7215 bits with 6 hashes, a link too",
	Bits:    [2]int{7215, 7215},
	Source:  "c", Tools: []string{"cc"},
	Headers: Headers{"#include <bloom.h>\n", []string{"cc", "-E", "-x", "c", "-"}, "libbloom-dev"},
	Steps: [][]string{{
		"cc", "-std=c17", "-D_GNU_SOURCE", "-O3", "-march=native", "-flto", "-o", "libbloom", "libbloom.c", "-lbloom", "-lm",
	}},
	Command: []string{dir + "/libbloom"},
}

const boostHeaders = "#include <boost/bloom.hpp>\n#include <boost/version.hpp>\n" +
	"#if BOOST_VERSION != 109000\n#error another version\n#endif\n"

var boost = Program{
	Library: "Boost.Bloom", Language: "C++", Version: "1.90.0",
	Options: "c++ -O3 -march=native -flto, headers only",
	Takes:   "a 64-bit hash",
	Rounds:  "bits up to a multiple of 8; hashes are fixed when it is compiled",
	Bits:    [2]int{4064, 816},
	Source:  "cpp", Tools: []string{"c++"},
	Headers: Headers{boostHeaders, []string{"c++", "-E", "-x", "c++", "-"}, "libboost1.90-dev"},
	Steps:   [][]string{{"c++", "-std=c++20", "-O3", "-march=native", "-flto", "-o", "boost", "boost.cpp"}},
	Command: []string{dir + "/boost"},
}

// blocked are Boost's filters whose bits lie side by side: faster, and of a theory of
// their own.
var blocked = func() Program {
	p := boost
	p.Library = "Boost.Bloom blocked"
	p.Rounds = "bits up to a multiple of 192; a hash chooses six words of 32 bits side by side, and a bit in each"
	p.Bits = [2]int{4224, 960}
	p.Steps = [][]string{append([]string{"c++", "-DBLOCKED"}, boost.Steps[0][1:]...)}
	p.blocked = true
	return p
}()

// FPR is what theory says of one filter of n articles. In a filter of blocks an article
// chooses one and has one bit in each of its words of 32 bits: the rate is the mean over
// how many of n articles chose the block that is asked.
func (p Program) FPR(g bloom.Geometry, n int) float64 {
	if !p.blocked {
		return bloom.Exact(n, g)
	}
	const word = 32
	blocks := float64(g.Bits / (word * g.Hashes))
	rate, chance := 0.0, math.Pow(1-1/blocks, float64(n)) // that no article chose it
	for j := range n + 1 {
		full := 1 - math.Pow(1-1./word, float64(j)) // a word's bit is set
		rate += chance * math.Pow(full, float64(g.Hashes))
		chance *= float64(n-j) / float64(j+1) / (blocks - 1)
	}
	return rate
}

// Missing names a tool or a package that is needed and not there, empty if all are.
func (p Program) Missing() string {
	for _, tool := range p.Tools {
		if _, err := exec.LookPath(tool); err != nil {
			return tool
		}
	}
	if h := p.Headers; h.Source != "" {
		c := exec.Command(h.Compiler[0], h.Compiler[1:]...)
		c.Stdin = strings.NewReader(h.Source)
		if c.Run() != nil {
			return h.Package
		}
	}
	return ""
}

// Build builds the program in a directory. What a command printed that failed is in the
// error.
func (p Program) Build(in string) (Built, error) {
	b := Built{Program: p, argv: within(in, p.Command)}
	if p.Source != "" {
		sub, err := fs.Sub(sources, p.Source)
		if err == nil {
			err = os.CopyFS(in, sub)
		}
		if err != nil {
			return b, err
		}
	}
	for _, step := range p.Steps {
		step = within(in, step)
		c := exec.Command(step[0], step[1:]...)
		c.Dir, c.Env = in, append(os.Environ(), p.Env...)
		if printed, err := c.CombinedOutput(); err != nil {
			return b, fmt.Errorf("%s: %s: %w\n%s", p.Library, strings.Join(step, " "), err, printed)
		}
	}
	return b, nil
}

// within is a command with a directory in the place of its name.
func within(in string, command []string) []string {
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = strings.ReplaceAll(word, dir, in)
	}
	return words
}
