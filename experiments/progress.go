package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress tells how far the run is and how long it will take: a bar on a
// terminal, elsewhere a plain line now and then. Measurements have planned
// costs in arbitrary units, and users done move through them.
type progress struct {
	mu      sync.Mutex
	w       io.Writer
	bar     *progressbar.ProgressBar // nil off a terminal
	taken   int                      // measurements taken over from an earlier run
	costs   map[string]float64       // planned, by name
	total   float64                  // of costs
	done    float64                  // of measurements that ended
	current string
	within  float64 // share of the current one, 0 to 1
	users   float64 // of the current one
	started time.Time
	printed time.Time
}

// lineEvery is how often a line is printed off a terminal.
const lineEvery = 10 * time.Second

// barUnits is the resolution of the bar.
const barUnits = 1000

func newProgress(w io.Writer, plan []planned) *progress {
	p := &progress{w: w, costs: map[string]float64{}, started: time.Now(), printed: time.Now()}
	for _, m := range plan {
		p.costs[m.name] = m.cost
		p.total += m.cost
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && p.total > 0 {
		p.bar = progressbar.NewOptions(barUnits,
			progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(false))
	}
	return p
}

// begin starts a measurement.
func (p *progress) begin(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current, p.within, p.users = name, 0, 0
	p.show(p.bar == nil)
}

// expect says over how many users the current measurement goes.
func (p *progress) expect(users int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users, p.within = float64(users), 0
}

// add counts users that the current measurement is done with.
func (p *progress) add(users int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users > 0 {
		p.within = min(1, p.within+float64(users)/p.users)
	}
	p.show(false)
}

// end finishes the measurement.
func (p *progress) end(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += p.costs[name]
	p.current, p.within = "", 0
	p.show(false)
}

// skip says that a measurement was taken over.
func (p *progress) skip(name string) {
	p.taken++
	p.note("%s: taken over from an earlier run", name)
}

// note prints a line of its own.
func (p *progress) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.w, format+"\n", args...)
}

// finish takes the bar away.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Finish()
		_ = p.bar.Clear()
	}
}

// show prints the state, with mu held: always, or where enough time has passed.
func (p *progress) show(always bool) {
	if p.total == 0 {
		return
	}
	share := min(1, (p.done+p.within*p.costs[p.current])/p.total)
	elapsed := time.Since(p.started)
	left := "?"
	if share > 0.005 {
		left = time.Duration(float64(elapsed) * (1 - share) / share).Round(time.Second).String()
	}
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%-20s %7s left", p.current, left))
		_ = p.bar.Set(int(share * barUnits))
		return
	}
	if !always && time.Since(p.printed) < lineEvery {
		return
	}
	p.printed = time.Now()
	fmt.Fprintf(p.w, "%3.0f %%  %-20s  %s so far, %s left\n",
		100*share, p.current, elapsed.Round(time.Second), left)
}
