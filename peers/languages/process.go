package languages

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"dejavu/bloom"
	"dejavu/peers/library"
	"dejavu/strategies"
)

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

// Memory returns the bytes and the heap objects of so many users. A process is to
// be asked once: what one question has freed might serve the next.
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

// WriteLists writes lists into a file, each as its length and its IDs, all of them little-endian numbers of 64 bits: the
// articles shown to each of Users users, one user after the other, unseen candidates, seen and mixed ones, and articles
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

// WriteKeys writes so many keys into a file, each as a byte that is its length, and its bytes. Key appends the i-th one
// to dst.
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
