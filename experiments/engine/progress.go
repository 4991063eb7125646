package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Plan returns what these tasks, each named once, will measure: all but what the run can reuse. The costs are divided
// by the run's goroutines.
func (r *Run) Plan(tasks []Task) (plan []Planned) {
	for _, t := range tasks {
		p := t.Planned(r.Scope)
		if _, _, err := read[json.RawMessage](Path(r.Out, p.Name), r.key(p)); err != nil || r.Again {
			if p.Users > 0 {
				p.Cost /= float64(r.Options.Goroutines())
			}
			plan = append(plan, p)
		}
	}
	return plan
}

// A Progress reports how far a run is and how long it will take: in one changing line on a terminal, else in some
// lines.
type Progress struct {
	mu      sync.Mutex
	w       io.Writer
	screen  bool               // w is a terminal
	costs   map[string]float64 // planned, by name
	total   float64            // sum of costs
	done    float64            // cost of the measurements that ended
	current string
	within  float64 // share of the current one, 0 to 1
	users   float64 // of the current one
	started time.Time
	printed time.Time
}

// How often the line changes on a terminal, and is printed elsewhere.
const (
	changeEvery = 100 * time.Millisecond
	lineEvery   = 10 * time.Second
)

const wipe = "\r\x1b[K"

// NewProgress returns a progress without a plan, which prints notes only.
func NewProgress(w io.Writer) *Progress {
	return &Progress{w: w, costs: map[string]float64{}, started: time.Now(), printed: time.Now()}
}

// Start gives the progress a plan.
func (p *Progress) Start(plan []Planned) {
	for _, m := range plan {
		p.costs[m.Name] = m.Cost
		p.total += m.Cost
	}
	f, ok := p.w.(*os.File)
	p.screen = ok && term.IsTerminal(int(f.Fd())) && p.total > 0 && !escapesUnwanted()
}

// escapesUnwanted reports whether the environment asks for plain text: NO_COLOR, or a terminal without escapes.
func escapesUnwanted() bool { return os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" }

// Begin starts a planned measurement of a number of users or, for a log, bytes.
func (p *Progress) Begin(name string, users int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current, p.within, p.users = name, 0, float64(users)
	p.show(true)
}

// Expect sets the number of users of the current measurement.
func (p *Progress) Expect(users int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users, p.within = float64(users), 0
}

// Add counts users that the current measurement has finished.
func (p *Progress) Add(users int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users > 0 {
		p.within = min(1, p.within+float64(users)/p.users)
	}
	p.show(false)
}

func (p *Progress) end(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += p.costs[name]
	p.current, p.within = "", 0
	p.show(false)
}

// Note prints a line of its own.
func (p *Progress) Note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
}

// Finish clears the line of a terminal.
func (p *Progress) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) clear() {
	if p.screen {
		fmt.Fprint(p.w, wipe)
	}
}

// show prints the state, always or if enough time has passed. The caller holds mu.
func (p *Progress) show(always bool) {
	if p.total == 0 {
		return
	}
	elapsed, left := time.Since(p.started), "?"
	share := min(1, (p.done+p.within*p.costs[p.current])/p.total)
	if p.total > 1 { // not a pipe
		// A tenth of the plan counts as done at its own pace, so that the first moments do not decide alone.
		pace := (float64(elapsed.Microseconds())/p.total + 0.1) / (share + 0.1)
		left = (time.Duration((1-share)*p.total*pace) * time.Microsecond).Round(time.Second).String()
	}
	every := lineEvery
	if p.screen {
		every = changeEvery
	}
	if !always && time.Since(p.printed) < every {
		return
	}
	p.printed = time.Now()
	line := fmt.Sprintf("%3.0f %%  %-20s  %s so far, %s left", 100*share, p.current, elapsed.Round(time.Second), left)
	if p.screen {
		const width = 16 // with the line it fits 80 columns
		full := int(share * width)
		fmt.Fprint(p.w, wipe, strings.Repeat("█", full), strings.Repeat("░", width-full), " ", line)
		return
	}
	fmt.Fprintln(p.w, line)
}
