package browser

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A setting holds the values of the page's sliders.
type setting struct {
	users, window int
	rate          float64
}

// some returns strategies for a setting, made from this module's packages as a user of the page would.
func some(s setting) map[string]strategies.Theory {
	one := strategytest.Value(single.Sized(s.window, s.rate))
	two := strategytest.Value(dual.Sized(s.window, s.rate))
	return map[string]strategies.Theory{
		"queue":       strategytest.Value(queue.New(queue.Config{Window: s.window})),
		"single":      strategytest.Value(single.New(one)),
		"dual":        strategytest.Value(dual.New(two)),
		"chain-sized": strategytest.Value(chain.New(strategytest.Value(chain.Sized(s.window, s.rate)))),
	}
}

// expected returns what the page should show: over a full rotation beyond three windows, or when full if it never
// forgets.
func expected(theory strategies.Theory, s setting) map[string]string {
	percent := func(v float64) string {
		switch {
		case v == 0:
			return "0"
		case v < 1e-9:
			return "≈ 0"
		}
		text := fmt.Sprintf("%.3g", 100*v)
		if mantissa, exponent, ok := strings.Cut(text, "e-0"); ok { // as browsers write it
			text = mantissa + "e-" + exponent
			if exponent <= "6" {
				text = strconv.FormatFloat(mustFloat(text), 'f', -1, 64)
			}
		}
		return text + " %"
	}
	first, cycle, capacity := 3*s.window+1, 3*s.window, ""
	if theory.Window(1<<30) == 1<<30 {
		first, cycle, capacity = s.window, 1, "capacity "
	}
	bytes, worst, least := 0, 0., math.MaxInt
	for shown := first; shown < first+cycle; shown++ {
		bytes, worst, least = max(bytes, theory.Bytes(shown)), max(worst, theory.FPR(shown)), min(least, theory.Window(shown))
	}
	all := (bytes + 28) * s.users // with what the store keeps
	total := fmt.Sprintf("%d B", all)
	for _, u := range []struct {
		name string
		size float64
	}{{"PB", 1e15}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		// A tie goes up, as on the page.
		if v := float64(all) / u.size * (1 + 1e-12); v >= 0.9995 {
			total = fmt.Sprintf("%s %s", strconv.FormatFloat(mustFloat(fmt.Sprintf("%.3g", v)), 'f', -1, 64), u.name)
			break
		}
	}
	return map[string]string{
		"bytes": fmt.Sprintf("%d B", bytes), "total": total, "worst": percent(mustFloat(fmt.Sprintf("%.5g", worst))),
		"window": capacity + fmt.Sprint(least),
	}
}

func mustFloat(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// plain turns the page's numbers into the program's: spaces and commas between thousands go, one before a unit stays.
var plain = strings.NewReplacer("\u202f", "", ",", "", "\u00a0", " ")

// read returns the setting that the page shows.
func (b *tab) read() (s setting) {
	b.Helper()
	said := func(name string) string { return plain.Replace(b.text("#" + name + "-field")) }
	users, unit, _ := strings.Cut(said("users"), " ")
	s.users = int(mustFloat(users) * map[string]float64{"": 1, "million": 1e6, "billion": 1e9}[unit])
	s.window = int(mustFloat(said("window")))
	rate, _ := strings.CutSuffix(said("rate"), " %")
	// The nearest to what is written, as the page's own are: 0.02, not 2/100.
	s.rate = mustFloat(strconv.FormatFloat(mustFloat(rate)/100, 'g', 6, 64))
	return s
}

// set moves the sliders.
func (b *tab) set(users, window, rate int) {
	b.Helper()
	for name, to := range map[string]int{"users": users, "window": window, "rate": rate} {
		b.enter("#"+name, fmt.Sprint(to))
		strategytest.Equal(b.T, b.text("#"+name), fmt.Sprint(to), "the slider of %s", name)
	}
}

// answer returns what the page says of each strategy.
func (b *tab) answer() map[string]map[string]string {
	b.Helper()
	return eval[map[string]map[string]string](b, `Object.fromEntries(
		Array.from(document.querySelectorAll("#answer tbody tr"), row => [row.dataset.strategy, Object.fromEntries(
			Array.from(row.querySelectorAll("[data-of]"), cell => [cell.dataset.of, cell.textContent]))]))`)
}

// check compares the answer with theory.
func (b *tab) check(s setting) {
	b.Helper()
	answer := b.answer()
	if len(answer) < 9 {
		b.Errorf("%+v: %d strategies, want all", s, len(answer))
	}
	for name, theory := range some(s) {
		for of, want := range expected(theory, s) {
			if got := plain.Replace(answer[name][of]); got != want {
				b.Errorf("%+v: %s of %s is %q, theory says %q", s, of, name, got, want)
			}
		}
	}
}

// The settings that are tested: every place of every slider at least once, and both ends of all together.
func settings() (all [][3]int) {
	all = append(all, [3]int{7, 3, 2}, [3]int{0, 0, 0}, [3]int{13, 9, 6})
	for i := range 17 {
		all = append(all, [3]int{(5*i + 1) % 14, 3 * i % 10, i % 7})
	}
	return all
}

func TestSlidersShowTheory(t *testing.T) {
	b := open(t, desk)
	seen := map[setting]bool{}
	for _, s := range settings() {
		b.set(s[0], s[1], s[2])
		now := b.read()
		seen[now] = true
		b.check(now)
	}
	first := setting{users: 10_000_000, window: 400, rate: 0.02}
	if len(seen) < 20 || !seen[first] {
		t.Errorf("%d settings were tested, want 20, and among them the default %+v", len(seen), first)
	}
}

// A planted fault: the comparison above can fail.
func TestSlidersShowWrongTheory(t *testing.T) {
	b := open(t, desk)
	worst := func(rate float64) string {
		return expected(some(setting{window: 400, rate: rate})["single"], setting{users: 10_000_000, window: 400})["worst"]
	}
	if got := plain.Replace(b.answer()["single"]["worst"]); got == worst(0.01) || got != worst(0.02) {
		t.Errorf("at 2 %% the single filter shows %q, want %q; a filter made for 1 %% would %q", got, worst(0.02), worst(0.01))
	}
}

// Everything can be reached and moved by keyboard, and is announced; the address restores it.
func TestKeyboard(t *testing.T) {
	b := open(t, desk)
	before := b.read()
	b.press("#window", kb.ArrowRight)
	after := b.read()
	if after.window <= before.window {
		t.Errorf("an arrow key moves N from %d to %d", before.window, after.window)
	}
	b.check(after)
	heard := plain.Replace(eval[string](b, `document.activeElement.ariaValueText`))
	strategytest.Equal(t, heard, fmt.Sprint(after.window), "a screen reader says")
	if heard := eval[bool](b, `(e => e.getAttribute("role") === "status" && getComputedStyle(e).display !== "none")(
		document.getElementById("said"))`); !heard {
		t.Error("the answer is announced where no screen reader listens")
	}
	said, err := chromedp.Run(b.ctx,
		chromedp.Poll[string](`(said => said.includes("N = 500") && said)(document.getElementById("said").textContent)`))
	if err != nil || !strings.Contains(said, "Take matrix: ") || !strings.Contains(said, "The runner-up is ") {
		t.Errorf("the answer is announced as %q, %v", said, err)
	}
	strategytest.Equal(t, eval[string](b, `location.hash`), "#choose?window=500", "the address ends with")
	strategytest.Must(t, chromedp.Do(b.ctx, chromedp.Reload()))
	strategytest.Equal(t, b.read(), after, "the address leads to")
	order := eval[[]string](b, `Array.from(document.querySelectorAll("#settings input"), e => e.id)`)
	strategytest.Equal(t, strings.Join(order, " "), "users-field users window-field window rate-field rate memory-field",
		"the order of focus is")
}
