package main

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"dejavu/bloom"
	"dejavu/results"
	"dejavu/results/by"
)

// A program answers questions about a library of another language.
type program struct {
	library, language string
	blocked           bool     // an article's bits lie in one block
	needs             string   // tools and packages
	folder            string   // of the source
	steps             []string // build it there
	command           string   // starts it, in the folder above
}

//go:embed rust java c cpp
var sources embed.FS

var programs = []program{
	{
		library: "fastbloom", language: "Rust", needs: "cargo", folder: "rust",
		steps:   []string{`cargo build --release --locked --quiet --config build.rustflags=["-Ctarget-cpu=native"]`},
		command: "rust/target/release/peers",
	}, {
		library: "Guava", language: "Java", needs: "a JDK of 17 or later and Maven", folder: "java",
		steps: []string{
			"mvn --batch-mode --quiet dependency:copy-dependencies -DoutputDirectory=lib", "javac -cp lib/* Peers.java",
		},
		command: "java -cp java" + string(filepath.ListSeparator) + "java/lib/* Peers",
	}, {
		library: "libbloom", language: "C", needs: "cc and libbloom-dev 1.6", folder: "c",
		steps:   []string{"cc -std=c17 -D_GNU_SOURCE -O3 -march=native -flto -o libbloom libbloom.c -lbloom -lm"},
		command: "c/libbloom",
	}, {
		library: "Boost.Bloom", language: "C++", needs: "c++ and Boost 1.90", folder: "cpp",
		steps:   []string{"c++ -std=c++20 -O3 -march=native -flto -o boost boost.cpp"},
		command: "cpp/boost",
	}, {
		library: "Boost.Bloom blocked", language: "C++", blocked: true, needs: "c++ and Boost 1.90", folder: "cpp",
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

// fpr returns the expected FPR of n articles. In a filter of blocks an article chooses one, and sets one bit in each of its
// words: the rate is the mean over the number of articles that chose the block that is asked.
func (p program) fpr(g bloom.Geometry, n int) float64 {
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
	if want := len(q.ids) + len(q.keys) - q.shown; n < 3 || len(seen) != want {
		return a, fmt.Errorf("%s %s, asked about %s, answers %.80q: want two numbers and %d digits. %s",
			r.library, r.name, q.file, r.out.Text(), want, r.printed.String())
	}
	for _, digit := range seen {
		a.seen = append(a.seen, digit == '1')
	}
	return a, nil
}

func (r *process) subject() *subject {
	name := r.library + " " + r.name
	return &subject{
		name: name, library: r.library, kind: r.kind, made: r.made, theory: r.fpr(r.made, items),
		ask: r.ask, warmUps: 10, // for Java's compiler, which works meanwhile
		weigh: func(q question) ([]results.Row, error) {
			users := q.users / 10
			fresh, err := r.start(r.command.Dir, r.kind) // which cannot reuse memory
			if err != nil {
				return nil, err
			}
			defer fresh.close()
			var bytes, objects [2]float64
			for i, n := range []int{1, 1 + users} {
				q.users = n
				_, err := fresh.ask(q)
				if err == nil {
					bytes[i], objects[i], err = fresh.memory(n)
				}
				if err != nil {
					return nil, err
				}
			}
			n, alive := float64(users), by.Users.At(float64(users))
			return []results.Row{
				number(name, results.QBytesPerUser, results.Bytes, (bytes[1]-bytes[0])/n, alive),
				number(name, results.QObjectsPerUser, "", (objects[1]-objects[0])/n, alive),
			}, nil
		},
	}
}

// memory returns what a process with the given number of users occupies: in Java the live bytes and objects of the heap,
// and else the resident set and a block of the heap for each filter, which is what the libraries take.
func (r *process) memory(users int) (bytes, objects float64, err error) {
	pid := strconv.Itoa(r.command.Process.Pid)
	if r.language == "Java" {
		histogram, err := exec.Command("jcmd", pid, "GC.class_histogram").Output()
		lines := strings.Split(strings.TrimSpace(string(histogram)), "\n")
		if _, failed := fmt.Sscanf(lines[len(lines)-1], "Total %f %f", &objects, &bytes); err == nil {
			err = failed
		}
		return bytes, objects, err
	}
	var pages float64
	text, err := os.ReadFile(filepath.Join("/proc", pid, "statm"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &bytes, &pages)
	}
	return pages * float64(os.Getpagesize()), float64(users * r.links), err
}
