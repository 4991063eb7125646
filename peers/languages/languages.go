// Package languages asks filter libraries of other languages than Go, each by a program in its own language, which
// is built once and asked a question at a time: so its times can be taken in turn, and what it compiles stays.
// README.md has the questions. One costs a caller two context switches, outside of the times that the program reports.
package languages

import (
	"bufio"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"dejavu/bloom"
	"dejavu/peers/library"
	"dejavu/strategies"
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
	Version  string     // of the library; one that says another is refused
	Options  string     // with which it is compiled
	Takes    string     // how articles go in
	Rounds   string     // what becomes of the geometry asked for
	Bits     [2]int     // of one filter and of a link, then
	Source   string     // folder of its sources
	Tools    []string   // commands that are needed
	Headers  Headers    // that are needed
	Env      []string   // of Steps
	Steps    [][]string // commands that build it in a directory, $DIR
	Command  []string   // that starts it then
	Blocked  bool       // whether an article's bits lie in one block
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

// Build builds the program in a directory, and returns it ready to start. An error has what the failed command printed.
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

// A Process is a program that runs. It answers one question at a time, and is not safe for concurrent use.
type Process struct {
	Program
	One, Link bloom.Geometry // what the library makes of those asked for

	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	printed strings.Builder // on standard error
}

// longest is how long an answer may be, in bytes: some numbers for each of some thousand segments or filters.
const longest = 1 << 20

// Start starts a program that is built with a file of lists. Close ends it.
func (p Program) Start(lists string) (*Process, error) {
	one, link := library.One, library.Link
	args := append(slices.Clone(p.Command[1:]), lists)
	for _, n := range []int{one.Bits, one.Hashes, Shown, link.Bits, link.Hashes, Newest} {
		args = append(args, strconv.Itoa(n))
	}
	r := &Process{Program: p, command: exec.Command(p.Command[0], args...)}
	r.command.Stderr = &r.printed
	in, failed := r.command.StdinPipe()
	out, err := r.command.StdoutPipe()
	if err := errors.Join(failed, err); err != nil {
		return nil, err
	}
	r.in, r.out = in, bufio.NewScanner(out)
	r.out.Buffer(nil, longest)
	if err := r.command.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Library, err)
	}
	if err := r.greeting(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// greeting reads what a program prints before it is asked anything.
func (p *Process) greeting() error {
	line, err := p.line()
	if err != nil {
		return fmt.Errorf("%s: %w", p.Library, err)
	}
	words := strings.Fields(line)
	if len(words) == 5 && words[4] != p.Version {
		return fmt.Errorf("%s: the version is %s, want %s", p.Library, words[4], p.Version)
	}
	if _, err := fmt.Sscan(line, &p.One.Bits, &p.One.Hashes, &p.Link.Bits, &p.Link.Hashes); err != nil {
		return fmt.Errorf("%s: it begins with %q, want the bits and hashes of two filters", p.Library, line)
	}
	if got := [2]int{p.One.Bits, p.Link.Bits}; got != p.Bits {
		return fmt.Errorf("%s: its filters have %d bits, want %d", p.Library, got, p.Bits)
	}
	return nil
}

// line is the next line of a program, which may have ended instead.
func (p *Process) line() (string, error) {
	if p.out.Scan() {
		return p.out.Text(), nil
	}
	if err := p.out.Err(); err != nil {
		return "", err
	}
	p.command.Wait() // it has ended, and its last words are wanted
	return "", fmt.Errorf("the program ended: %s", strings.TrimSpace(p.printed.String()))
}

// question asks and returns the numbers of the answer, at least so many.
func (p *Process) question(least int, words ...any) ([]float64, error) {
	asked := strings.TrimSuffix(fmt.Sprintln(words...), "\n")
	io.WriteString(p.in, asked+"\n") // where nobody reads any more, there is no answer either
	line, err := p.line()
	if err != nil {
		return nil, fmt.Errorf("%s, asked %q: %w", p.Library, asked, err)
	}
	var n []float64
	for word := range strings.FieldsSeq(line) {
		v, failed := strconv.ParseFloat(word, 64)
		n, err = append(n, v), errors.Join(err, failed)
	}
	if err != nil || len(n) < least {
		return nil, fmt.Errorf("%s, asked %q, answers %.80q: want at least %d numbers", p.Library, asked, line, least)
	}
	return n, nil
}

// Ask asks for the candidates of a list, of which so many were shown. It returns the nanoseconds of each segment. A
// program that denies what was shown, or reports more than a quarter of the others as seen, is in error.
func (p *Process) Ask(kind, list string, candidates, shown int) ([]float64, error) {
	n, err := p.question(1+candidates/(Request*Segment), "ask", kind, list)
	if err != nil {
		return nil, err
	}
	if most := shown + (candidates-shown)/4; int(n[0]) < shown || int(n[0]) > most {
		const wrong = "%s %s reports %.0f of the %s candidates as seen, want %d to %d"
		return nil, fmt.Errorf(wrong, p.Library, kind, n[0], list, shown, most)
	}
	return n[1:], nil
}

// Record records the articles of the last list, so many at once, and returns the nanoseconds of each segment.
// A program that does not recognise the newest ones is in error.
func (p *Process) Record(kind string, atOnce int) ([]float64, error) {
	n, err := p.question(2, "record", kind, atOnce)
	if err != nil {
		return nil, err
	}
	if n[0] != Newest {
		return nil, fmt.Errorf("%s %s recognises %.0f of the newest %d articles", p.Library, kind, n[0], Newest)
	}
	return n[1:], nil
}

// Memory returns the bytes and heap objects of so many users. A process is asked once: what it frees might be reused.
func (p *Process) Memory(kind string, users int) (bytes, objects float64, err error) {
	n, err := p.question(2, "memory", kind, users)
	if err != nil {
		return 0, 0, err
	}
	return n[0], n[1], nil
}

// Rates makes so many filters, of the keys of a file.
func (p *Process) Rates(file string, filters int) ([]Filter, error) {
	n, err := p.question(2*filters, "rates", file)
	if err != nil {
		return nil, err
	}
	all := make([]Filter, filters)
	for i := range all {
		all[i] = Filter{int(n[2*i]), int(n[2*i+1])}
	}
	return all, nil
}

// Close ends the program.
func (p *Process) Close() error {
	p.in.Close()
	if p.command.ProcessState != nil {
		return nil // it had ended, and a question was answered so
	}
	if err := p.command.Wait(); err != nil {
		return fmt.Errorf("%s: %w: %s", p.Library, err, strings.TrimSpace(p.printed.String()))
	}
	return nil
}

// WriteLists writes lists into a file, each as its length and its IDs, little-endian numbers of 64 bits: the articles
// shown to each of Users users, one user after the other, unseen candidates, seen and mixed ones, and articles
// to record. Candidates are whole segments: a multiple of Request * Segment.
func WriteLists(path string, shown, unseen, seen, mixed, articles []strategies.ID) error {
	var data []byte
	for _, list := range [][]strategies.ID{shown, unseen, seen, mixed, articles} {
		data = binary.LittleEndian.AppendUint64(data, uint64(len(list)))
		for _, id := range list {
			data = binary.LittleEndian.AppendUint64(data, uint64(id))
		}
	}
	return os.WriteFile(path, data, 0o600)
}

// WriteKeys writes n keys into a file, each as a byte with its length, and its bytes. Key appends one to dst.
func WriteKeys(path string, n int, key func(dst []byte, i int) []byte) error {
	var data []byte
	for i := range n {
		at := len(data)
		data = key(append(data, 0), i)
		length := len(data) - at - 1
		if length > 255 {
			return fmt.Errorf("key %d has %d bytes, want at most 255", i, length)
		}
		data[at] = byte(length)
	}
	return os.WriteFile(path, data, 0o600)
}

// A Filter is what one filter answers for Shown keys that it holds and as many that it does not.
type Filter struct{ Hits, Denied int }
