package browser

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/strategies"
)

// A setting is what the page says beside its sliders.
type setting struct {
	users, window, shown int
	rate                 float64
	exact                bool
}

// memories are the strategies for a setting, as a reader of the page would make
// them from this module's packages.
func memories(t *testing.T, s setting) map[string]strategies.Theory {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	size := func(articles int) bloom.Geometry {
		sized := bloom.PaperGeometry
		if s.exact {
			sized = bloom.BestGeometry
		}
		g, err := sized(articles, s.rate)
		must(err)
		return g
	}
	links := chain.Config{Links: 5, Capacity: s.window / 5}
	switch {
	case s.exact:
		var err error
		links, err = chain.Sized(s.window*4/5, s.rate)
		must(err)
	case s.window == 500 && s.rate == 0.02:
		links = chain.Paper
	default:
		links.Geometry = size(s.window / 5)
	}
	ids, err := queue.New(queue.Config{Window: s.window})
	must(err)
	one, err := single.New(single.Config{Capacity: s.window, Geometry: size(s.window)})
	must(err)
	two, err := dual.New(dual.Config{Capacity: s.window, Threshold: s.window * 3 / 5, Geometry: size(s.window)})
	must(err)
	five, err := chain.New(links)
	must(err)
	return map[string]strategies.Theory{"queue": ids, "single": one, "dual": two, "chain": five}
}

// expected is what the page should say.
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
	bytes := float64(theory.Bytes(s.shown))
	total := fmt.Sprintf("%.0f B", bytes*float64(s.users))
	for _, u := range []struct {
		name string
		size float64
	}{{"PB", 1e15}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		// A tie goes up, as on the page.
		if v := bytes * float64(s.users) / u.size * (1 + 1e-12); v >= 0.9995 {
			total = fmt.Sprintf("%s %s", strconv.FormatFloat(mustFloat(fmt.Sprintf("%.3g", v)), 'f', -1, 64), u.name)
			break
		}
	}
	least := theory.Window(s.window)
	for shown := s.window; shown < 4*s.window; shown++ {
		least = min(least, theory.Window(shown))
	}
	return map[string]string{
		"bytes": fmt.Sprintf("%.0f B", bytes), "total": total, "fpr": percent(theory.FPR(s.shown)),
		"window": fmt.Sprint(theory.Window(s.shown)), "least": fmt.Sprint(least),
	}
}

func mustFloat(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// plain is a number as the page writes it, as a program does: spaces and
// commas between thousands go, one before a unit stays.
var plain = strings.NewReplacer("\u202f", "", ",", "", "\u00a0", " ")

// read is the setting that the page shows now.
func (b *tab) read() (s setting) {
	b.Helper()
	said := func(name string) string {
		return plain.Replace(eval[string](b, fmt.Sprintf("document.getElementById(%q).textContent", name+"-said")))
	}
	number := func(text string) float64 {
		v := mustFloat(strings.TrimSpace(text))
		if math.IsNaN(v) {
			b.Fatalf("the page says %q for a number", text)
		}
		return v
	}
	users, unit, _ := strings.Cut(said("users"), " ")
	s.users = int(number(users) * map[string]float64{"": 1, "million": 1e6, "billion": 1e9}[unit])
	s.window = int(number(said("window")))
	rate, _ := strings.CutSuffix(said("rate"), " %")
	// The nearest to what is written, as the page's own are: 0.02, not 2/100.
	s.rate = mustFloat(strconv.FormatFloat(number(rate)/100, 'g', 6, 64))
	shown, who, _ := strings.Cut(eval[string](b, `document.getElementById("shown-said").textContent`), ", ")
	if who == "" {
		b.Error("the page does not say whose habit it is")
	}
	s.shown = int(number(plain.Replace(shown)))
	s.exact = eval[bool](b, `document.querySelector("input[name=sizing]:checked").value === "1"`)
	return s
}

// set moves the sliders.
func (b *tab) set(users, window, rate, shown, sizing int) {
	b.Helper()
	eval[bool](b, fmt.Sprintf(`(() => {
		const to = {users: %d, window: %d, rate: %d, shown: %d};
		for (const name in to) {
			const slider = document.getElementById(name);
			slider.value = to[name];
			if (Number(slider.value) !== to[name]) throw new Error(name + " has no place " + to[name]);
			slider.dispatchEvent(new Event("input", {bubbles: true}));
		}
		document.querySelectorAll("input[name=sizing]")[%d].click();
		return true;
	})()`, users, window, rate, shown, sizing))
}

// check holds the answer against theory.
func (b *tab) check(s setting) {
	b.Helper()
	answer := eval[map[string]map[string]string](b, `Object.fromEntries(Array.from(document.querySelectorAll("#answer tbody tr"), row =>
		[row.dataset.strategy, Object.fromEntries(Array.from(row.querySelectorAll("td"), cell => [cell.dataset.of, cell.textContent]))]))`)
	all := memories(b.T, s)
	if len(answer) != len(all) {
		b.Errorf("%+v: %d strategies, want %d", s, len(answer), len(all))
	}
	for name, theory := range all {
		for of, want := range expected(theory, s) {
			if got := plain.Replace(answer[name][of]); got != want {
				b.Errorf("%+v: %s of %s is %q, theory says %q", s, of, name, got, want)
			}
		}
	}
}

// The settings that are tested: every place of every slider at least once, and
// both ends of all together.
func settings() (all [][5]int) {
	all = append(all, [5]int{7, 4, 2, 6, 0}, [5]int{0, 0, 0, 0, 0}, [5]int{13, 9, 6, 11, 1})
	for i := range 17 {
		all = append(all, [5]int{(5*i + 1) % 14, 3 * i % 10, i % 7, (7*i + 2) % 12, i / 2 % 2})
	}
	return all
}

func TestSlidersShowTheory(t *testing.T) {
	b := open(t, desk)
	seen := map[setting]bool{}
	for _, s := range settings() {
		b.set(s[0], s[1], s[2], s[3], s[4])
		now := b.read()
		seen[now] = true
		b.check(now)
	}
	if len(seen) < 20 {
		t.Errorf("%d settings were tested, want 20", len(seen))
	}
	first := setting{users: 10_000_000, window: 500, shown: 500, rate: 0.02}
	if !seen[first] {
		t.Errorf("the paper's setting %+v is not among those seen", first)
	}
}

// A planted fault: the comparison above can fail.
func TestSlidersShowWrongTheory(t *testing.T) {
	b := open(t, desk)
	theory := memories(t, setting{users: 1, window: 500, shown: 500, rate: 0.01})["single"]
	want := expected(theory, setting{users: 10_000_000, window: 500, shown: 500})["fpr"]
	got := plain.Replace(eval[string](b, `document.querySelector("#answer [data-strategy=single] [data-of=fpr]").textContent`))
	if got == want || got != "2.03 %" {
		t.Errorf("at 2 %% the single filter shows %q; a filter made for 1 %% would %q", got, want)
	}
}

// Everything is reached and moved by keyboard, and said.
func TestKeyboard(t *testing.T) {
	b := open(t, desk)
	before := b.read()
	if err := chromedp.Do(b.ctx, chromedp.Focus(chromedp.ID("window")), chromedp.KeyEvent(kb.ArrowRight)); err != nil {
		t.Fatal(err)
	}
	after := b.read()
	if after.window <= before.window {
		t.Errorf("an arrow key moves N from %d to %d", before.window, after.window)
	}
	b.check(after)
	if text := eval[string](b, `document.activeElement.getAttribute("aria-valuetext")`); plain.Replace(text) != fmt.Sprint(after.window) {
		t.Errorf("a screen reader says %q for N = %d", text, after.window)
	}
	if heard := eval[bool](b, `(e => e.getAttribute("role") === "status" && getComputedStyle(e).display !== "none")(document.getElementById("said"))`); !heard {
		t.Error("the answer is announced where no screen reader listens")
	}
	said, err := chromedp.Run(b.ctx, chromedp.Poll[string](`(said => said.includes("N = 600") && said)(document.getElementById("said").textContent)`))
	if err != nil || !strings.Contains(said, "chain") || !strings.Contains(plain.Replace(said), "N = 600") {
		t.Errorf("the answer is announced as %q, %v", said, err)
	}
	// The settings stand in the address, and it leads to them again.
	if hash := eval[string](b, `location.hash`); !strings.HasPrefix(hash, "#choose?") || !strings.Contains(hash, "window=") {
		t.Errorf("the address ends with %q", hash)
	}
	if err := chromedp.Do(b.ctx, chromedp.Reload()); err != nil {
		t.Fatal(err)
	}
	if again := b.read(); again != after {
		t.Errorf("the address leads to %+v, want %+v", again, after)
	}
	order := eval[[]string](b, `Array.from(document.querySelectorAll("#settings input"), e => e.id || e.name)`)
	if got := strings.Join(order, " "); got != "users window rate shown sizing sizing" {
		t.Errorf("the order of focus is %q", got)
	}
}

// Of the claims those with the words that are looked for are shown, unfolded; without
// words all of them, folded.
func TestFilter(t *testing.T) {
	b := open(t, desk)
	look := func(words string) (shown []string) {
		eval[bool](b, fmt.Sprintf(`(e => { e.value = %q; return e.dispatchEvent(new Event("input")) })(document.getElementById("filter"))`, words))
		return eval[[]string](b, `Array.from(document.querySelectorAll(".verdict[open] tbody tr:not([hidden])"), r => r.textContent.toLowerCase())`)
	}
	shown := look("Chain rate")
	if len(shown) == 0 {
		t.Error("no claim is shown of a chain's rate")
	}
	for _, claim := range shown {
		if !strings.Contains(claim, "chain") || !strings.Contains(claim, "rate") {
			t.Errorf("a claim without the words: %s", claim)
		}
	}
	if said := eval[string](b, `document.getElementById("filtered").textContent`); !strings.HasPrefix(said, fmt.Sprint(len(shown), " of ")) {
		t.Errorf("%d claims are said to be %q", len(shown), said)
	}
	if shown := look("no claim has this"); len(shown) > 0 {
		t.Errorf("%d claims have words that none has", len(shown))
	}
	if shown := look(""); len(shown) > 0 || eval[int](b, `document.querySelectorAll(".verdict tr[hidden], .verdict[hidden]").length`) > 0 {
		t.Errorf("without words %d claims are unfolded, or some hidden", len(shown))
	}
}
