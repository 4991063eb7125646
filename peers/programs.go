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
	"dejavu/experiments/peers/standing"
	"dejavu/results"
	"dejavu/results/by"
)

// A program asks a library of another language. README.md lists its questions.
type program struct {
	library, language, version string
	blocked                    bool       // an article's bits lie in one block
	tools                      []string   // that it needs
	steps                      [][]string // build it
	command                    []string   // starts it
	pkg, header                string     // the package of a header that it needs, and lines of C that fail without it
}

//go:embed rust java c cpp
var sources embed.FS

const boostHeader = "#include <boost/bloom.hpp>\n#include <boost/version.hpp>\n#if BOOST_VERSION != 109000\n#error\n#endif\n"

var programs = []program{
	{
		library: "fastbloom", language: "Rust", version: "0.17.0", tools: []string{"cargo"},
		steps:   [][]string{{"cargo", "build", "--release", "--locked", "--quiet", "--config", `build.rustflags=["-Ctarget-cpu=native"]`}},
		command: []string{"rust/target/release/peers"},
	}, {
		library: "Guava", language: "Java", version: "33.8.0-jre", tools: []string{"java", "javac", "jcmd", "mvn"},
		steps: [][]string{
			{"mvn", "--batch-mode", "--quiet", "dependency:copy-dependencies", "-DoutputDirectory=lib"},
			{"javac", "-cp", "lib/*", "Peers.java"},
		},
		command: []string{"java", "-cp", "java" + string(filepath.ListSeparator) + "java/lib/*", "Peers"},
	}, {
		library: "libbloom", language: "C", version: "1.6", tools: []string{"cc"},
		pkg: "libbloom-dev", header: "#include <bloom.h>\n",
		steps: [][]string{strings.Fields(
			"cc -std=c17 -D_GNU_SOURCE -O3 -march=native -flto -o libbloom libbloom.c -lbloom -lm")},
		command: []string{"c/libbloom"},
	}, {
		library: "Boost.Bloom", language: "C++", version: "1.90.0", tools: []string{"c++"},
		pkg: "libboost1.90-dev", header: boostHeader,
		steps:   [][]string{strings.Fields("c++ -std=c++20 -O3 -march=native -flto -o boost boost.cpp")},
		command: []string{"cpp/boost"},
	}, {
		library: "Boost.Bloom blocked", language: "C++", version: "1.90.0", blocked: true, tools: []string{"c++"},
		pkg: "libboost1.90-dev", header: boostHeader,
		steps:   [][]string{strings.Fields("c++ -DBLOCKED -std=c++20 -O3 -march=native -flto -o blocked boost.cpp")},
		command: []string{"cpp/blocked"},
	},
}

// missing names a tool or a package that the program needs and that is not installed, or is empty.
func (p program) missing() string {
	for _, tool := range p.tools {
		if _, err := exec.LookPath(tool); err != nil {
			return tool
		}
	}
	if p.header != "" {
		c := exec.Command(p.tools[0], "-E", "-x", strings.ToLower(p.language), "-")
		c.Stdin = strings.NewReader(p.header)
		if c.Run() != nil {
			return p.pkg
		}
	}
	return ""
}

// build builds the program in the directory that has the sources.
func (p program) build(dir string) error {
	for _, step := range p.steps {
		c := exec.Command(step[0], step[1:]...)
		c.Dir = filepath.Join(dir, map[string]string{"Rust": "rust", "Java": "java", "C": "c", "C++": "cpp"}[p.language])
		if printed, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %s: %w\n%s\nto go without it, leave %s out of --languages",
				p.library, strings.Join(step, " "), err, printed, strings.ToLower(p.language))
		}
	}
	return nil
}

// fpr is the expected FPR of n articles. In a filter of blocks an article chooses one, and sets one bit in each of its
// words: the rate is the mean over how many of the articles chose the block that is asked.
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

// A process is a program that runs, for one kind of memory. It answers one question at a time.
type process struct {
	program
	kind
	made    bloom.Geometry // of what was asked for
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	printed strings.Builder // to standard error
}

// start starts a program that is built, in the directory of the files of keys. close ends it.
func (p program) start(dir string, k kind) (*process, error) {
	r := &process{program: p, kind: k, command: exec.Command(p.command[0], p.command[1:]...)}
	for _, n := range []int{k.links, k.articles, k.asked.Bits, k.asked.Hashes} {
		r.command.Args = append(r.command.Args, strconv.Itoa(n))
	}
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
	version := p.version
	if n, _ := fmt.Sscan(r.out.Text(), &r.made.Bits, &r.made.Hashes, &version); n < 2 || version != p.version {
		r.close()
		return nil, fmt.Errorf("%s begins with %q: want the bits and hashes of a filter, and version %s. %s",
			p.library, r.out.Text(), p.version, r.printed.String())
	}
	return r, nil
}

// ask asks a question about a file of keys, and returns the numbers of the answer, at least the given number.
func (r *process) ask(least int, what string, n int, file string) (numbers []float64, err error) {
	fmt.Fprintln(r.in, what, n, file) // if nobody reads any more, there is no answer either
	if r.out.Scan() {
		for word := range strings.FieldsSeq(r.out.Text()) {
			v, failed := strconv.ParseFloat(word, 64)
			numbers, err = append(numbers, v), errors.Join(err, failed)
		}
	}
	if err != nil || len(numbers) < least {
		return nil, fmt.Errorf("%s %s, asked to %s %d %s, answers %.80q: want %d numbers. %s",
			r.library, r.name, what, n, file, r.out.Text(), least, r.printed.String())
	}
	return numbers, nil
}

// subject returns what the runner measures of the process.
func (r *process) subject() *subject {
	name := standing.Name(r.library, r.name)
	return &subject{
		name: name, library: r.library, kind: r.kind, made: r.made, theory: r.fpr(r.made, items),
		ask: r.ask, warmUps: 20, // for Java's compiler, which works meanwhile
		weigh: func(users int) ([]results.Row, error) {
			fresh, err := r.program.start(r.command.Dir, r.kind) // which cannot reuse memory
			if err != nil {
				return nil, err
			}
			defer fresh.close()
			var bytes, objects [2]float64
			for i, n := range []int{1, 1 + users} {
				_, err := fresh.ask(0, "users", n, "articles")
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

// memory returns what a process with the given number of users occupies: the live bytes and objects of the heap in Java,
// which can tell, and else the resident set and a block of the heap for each filter, which is what the libraries take.
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

func (r *process) close() error {
	r.in.Close()
	if err := r.command.Wait(); err != nil {
		return fmt.Errorf("%s: %w: %s", r.library, err, strings.TrimSpace(r.printed.String()))
	}
	return nil
}
