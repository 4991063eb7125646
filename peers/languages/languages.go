// Package languages asks filter libraries of other languages than Go. Each answers by a small program of its
// own, in its own language, which is built once, lives as long as it is asked, and is asked a question at a
// time: so its times can be taken in turn with those of other libraries, and its compiler's work stays done.
//
// A program is started with a file of lists (see WriteLists) and six numbers: the bits and hashes that one
// filter is asked for and the articles it is to hold, and the same for a link of a chain of five. It prints
// the bits and hashes that the two really have, and behind them the library's version where that is known
// only when it runs. From then on it reads questions, a line each, and answers each by a line. KIND is single
// or chain: one filter, which is emptied (or made anew, where it cannot be) before it would hold more
// articles than it is made for, or five, of which the oldest is emptied when the newest is full.
//
//	ask KIND LIST      SEEN NS NS ...          LIST is unseen, seen or mixed
//	record KIND N      NEWEST NS NS ...        N articles at once
//	memory KIND N      BYTES OBJECTS           N users, all of them alive
//	rates FILE         HITS DENIED HITS ...    FILE is the rest of the line
//
// To ask, request r of a list, of Request candidates, goes to user r modulo Users, who was shown his Shown
// articles before; SEEN is how many candidates the filters reported as seen. NS are nanoseconds of Segment
// requests each. To record, one user goes on reading the last list from its start; NS are nanoseconds of
// Records articles each, and NEWEST is how many of the last Newest ones are recognised then. Memory is that
// of N users shown Shown articles each: growth of the resident set and blocks on the heap, or bytes and
// objects alive after a collection where the language has one. Rates makes a filter of each 2 * Shown keys of
// a file (see WriteKeys): the first half are its own, of which it reports DENIED as unseen, and of the others
// HITS as seen. Any question may be answered by a line that begins with "error".
//
// What a program costs a caller is two context switches a question, outside of the times it reports.
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

	"github.com/BurntSushi/toml"

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
	Steps   [][]string // commands that build it in a directory, $DIR
	Command []string   // that starts it then
	Blocked bool       // whether an article's bits lie in one block
}

// Headers are those of a library, which a Debian package has.
type Headers struct {
	Source   string   // names them
	Compiler []string // preprocesses that
	Package  string
}

//go:embed programs.toml rust java c cpp
var sources embed.FS

// All lists the programs. A fault in the embedded file, which a test loads, is a panic.
func All() []Program {
	var file struct{ Program []Program }
	if _, err := toml.DecodeFS(sources, "programs.toml", &file); err != nil {
		panic(err)
	}
	return file.Program
}

// FPR is what theory says of one filter of n articles. In a filter of blocks an article chooses one and has one bit
// in each of its words of 32 bits: the rate is the mean over how many of n articles chose the block that is asked.
func (p Program) FPR(g bloom.Geometry, n int) float64 {
	if !p.Blocked {
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

// Build builds the program in a directory, and returns it ready to start. What a command
// printed that failed is in the error.
func (p Program) Build(in string) (Program, error) {
	p.Command = within(in, p.Command)
	if p.Source != "" {
		sub, err := fs.Sub(sources, p.Source)
		if err == nil {
			err = os.CopyFS(in, sub)
		}
		if err != nil {
			return p, err
		}
	}
	for _, step := range p.Steps {
		step = within(in, step)
		c := exec.Command(step[0], step[1:]...)
		c.Dir, c.Env = in, append(os.Environ(), p.Env...)
		if printed, err := c.CombinedOutput(); err != nil {
			return p, fmt.Errorf("%s: %s: %w\n%s", p.Library, strings.Join(step, " "), err, printed)
		}
	}
	return p, nil
}

// within is a command with a directory in the place of its name.
func within(in string, command []string) []string {
	names := strings.NewReplacer("$DIR", in, "$SEP", string(filepath.ListSeparator))
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = names.Replace(word)
	}
	return words
}
