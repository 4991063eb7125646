package main

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"dejavu/bloom"
	"dejavu/results"
	"dejavu/results/by"
)

// A program answers questions about a library of another language.
type program struct {
	library, needs string   // tools and packages
	blocked        bool     // an article's bits lie in one block: the exact formula does not hold
	folder         string   // of the source
	steps          []string // build it there
	command        string   // starts it, in the folder above
}

//go:embed rust cpp
var sources embed.FS

var programs = []program{
	{
		library: "Rust fastbloom", needs: "cargo", folder: "rust",
		steps:   []string{`cargo build --release --locked --quiet --config build.rustflags=["-Ctarget-cpu=native"]`},
		command: "rust/target/release/peers",
	}, {
		library: "C++ Boost.Bloom", needs: "c++ and Boost 1.90", folder: "cpp",
		steps:   []string{"c++ -std=c++20 -O3 -march=native -flto -o boost boost.cpp"},
		command: "cpp/boost",
	}, {
		library: "C++ Boost.Bloom blocked", blocked: true, needs: "c++ and Boost 1.90", folder: "cpp",
		steps:   []string{"c++ -DBLOCKED -std=c++20 -O3 -march=native -flto -o blocked boost.cpp"},
		command: "cpp/blocked",
	},
}

func (p program) build(dir string) error {
	for _, step := range p.steps {
		words := strings.Fields(step)
		c := exec.Command(words[0], words[1:]...)
		c.Dir = filepath.Join(dir, p.folder)
		if printed, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", step, err, printed)
		}
	}
	return nil
}

// A process is a program that runs, for one kind of memory.
type process struct {
	program
	kind
	made    bloom.Geometry
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	printed strings.Builder // to standard error
}

// start starts a program that is built, in the directory of the files of keys. close ends it.
func (p program) start(dir string, k kind) (*process, error) {
	words := strings.Fields(fmt.Sprint(p.command, " ", k.links, " ", k.articles, " ", k.asked.Bits, " ", k.asked.Hashes))
	r := &process{program: p, kind: k, command: exec.Command(words[0], words[1:]...)}
	r.command.Dir, r.command.Stderr = dir, &r.printed
	in, failed := r.command.StdinPipe()
	out, err := r.command.StdoutPipe()
	if err := errors.Join(failed, err); err != nil {
		return nil, err
	}
	r.in, r.out = in, bufio.NewScanner(out)
	r.out.Buffer(nil, 1<<20)
	if err := r.command.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.library, err)
	}
	r.out.Scan()
	if n, _ := fmt.Sscan(r.out.Text(), &r.made.Bits, &r.made.Hashes); n < 2 {
		r.close()
		return nil, fmt.Errorf("%s begins with %q: want the bits and hashes of a filter. %s",
			p.library, r.out.Text(), r.printed.String())
	}
	return r, nil
}

func (r *process) close() {
	r.in.Close()
	_ = r.command.Wait() // its answers are complete
}

func (r *process) ask(q question) (a answer, err error) {
	fmt.Fprintln(r.in, q.users, q.each, q.shown, q.file) // if nobody reads any more, there is no answer either
	r.out.Scan()
	var seen string
	n, _ := fmt.Sscan(r.out.Text(), &a.recorded, &a.asked, &seen)
	if want := len(q.keys) - q.shown; n < 3 || len(seen) != want {
		return a, fmt.Errorf("%s %s, asked about %s, answers %.80q: want two numbers and %d digits. %s",
			r.library, r.name, q.file, r.out.Text(), want, r.printed.String())
	}
	for _, digit := range seen {
		a.seen = append(a.seen, digit == '1')
	}
	return a, nil
}

func (r *process) subject() *subject {
	return &subject{
		name: r.library + " " + r.name, library: r.library, kind: r.kind, made: r.made, blocked: r.blocked,
		ask: r.ask, weigh: r.weigh,
	}
}

// weigh asks a fresh process, which cannot reuse memory, about a tenth of a question's users.
func (r *process) weigh(q question) ([]results.Row, error) {
	fresh, err := r.start(r.command.Dir, r.kind)
	if err != nil {
		return nil, err
	}
	defer fresh.close()
	var bytes [2]float64
	users := q.users / 10
	for i, n := range []int{1, 1 + users} {
		q.users = n
		if _, err := fresh.ask(q); err != nil {
			return nil, err
		}
		if bytes[i], err = fresh.resident(); err != nil {
			return nil, err
		}
	}
	n := float64(users)
	name := r.library + " " + r.name
	return []results.Row{number(name, results.QBytesPerUser, results.Bytes, (bytes[1]-bytes[0])/n, by.Users.At(n))}, nil
}

// resident returns the bytes of a process's resident set.
func (r *process) resident() (bytes float64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", r.command.Process.Pid))
	if err == nil {
		_, err = fmt.Sscan(string(text), new(float64), &bytes)
	}
	return bytes * float64(os.Getpagesize()), err
}
