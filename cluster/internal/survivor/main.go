// Command survivor is the job that flink/survive.sh disturbs: it plays a script to
// Remember and writes all answers to a file, sorted. With --alone a plain loop
// answers, without Beam, and the files have to be the same: a request that was
// lost, or recorded twice, changes answers after it.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"dejavu/chain"
	"dejavu/cluster/internal/script"
	"dejavu/cluster/remember"
	"dejavu/results"
	"dejavu/strategies"
)

var (
	users = flag.Int("users", 2000, "users of the script")
	rate  = flag.Int("rate", 0, "events a second; 0 is as fast as can be")
	out   = flag.String("out", "", "file for the answers")
	alone = flag.Bool("alone", false, "answer in a loop, without Beam")
)

func init() {
	register.Function2x2(line)
	register.DoFn2x1[int, func(*string) bool, error](&writeFn{})
	register.Iter1[string]()
}

func main() {
	flag.Parse()
	beam.Init()
	c := script.Config{Users: *users, Seed: 2016}
	if *alone {
		if err := write(*out, answers(c)); err != nil {
			log.Fatal(err)
		}
		return
	}
	p, s := beam.NewPipelineWithRoot()
	fresh, err := remember.Remember(s, remember.Config{Strategy: "chain", Idle: remember.Day, Lateness: script.Late}, script.Play(s, c, *rate))
	if err != nil {
		log.Fatal(err)
	}
	// What is grouped is state, as histories are: an answer that is given again, after
	// a restart, is not in it twice. It comes out when the stream ends.
	beam.ParDo0(s, &writeFn{*out}, beam.GroupByKey(s, beam.ParDo(s, line, fresh)))
	if err := beamx.Run(context.Background(), p); err != nil {
		log.Fatal(err)
	}
}

// line is an answer as a line, under a key that all share.
func line(user string, a remember.Answer) (int, string) {
	return 0, fmt.Sprintf("%s %s %x", user, a.ID, a.Fresh)
}

// A writeFn writes lines.
type writeFn struct{ Out string }

// ProcessElement writes all of them.
func (f *writeFn) ProcessElement(_ int, next func(*string) bool) error {
	var lines []string
	var text string
	for next(&text) {
		lines = append(lines, text)
	}
	return write(f.Out, lines)
}

// write writes lines in the order of the alphabet.
func write(path string, lines []string) error {
	slices.Sort(lines)
	return results.Replace(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprintln(b, strings.Join(lines, "\n"))
		return b.Flush()
	})
}

// answers is what the script is answered, by a loop.
func answers(c script.Config) (lines []string) {
	s, err := chain.New(chain.Paper)
	if err != nil {
		log.Fatal(err)
	}
	histories, newest := map[string][]byte{}, map[string]time.Duration{}
	for _, e := range c.Events() {
		history, known := histories[e.User]
		if known && e.At-newest[e.User] >= remember.Day {
			history = nil
		}
		if history == nil || e.At > newest[e.User] {
			newest[e.User] = e.At
		}
		history = s.Record(history, e.Request.Shown)
		histories[e.User] = history
		seen := make([]bool, len(e.Request.Candidates))
		s.Seen(history, e.Request.Candidates, seen)
		a := remember.Answer{ID: e.Request.ID, Fresh: []strategies.ID{}}
		for i, id := range e.Request.Candidates {
			if !seen[i] {
				a.Fresh = append(a.Fresh, id)
			}
		}
		_, text := line(e.User, a)
		lines = append(lines, text)
	}
	return lines
}
