package browser

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/strategies/strategytest"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// spaces makes spaces in numbers, and before units, plain.
var spaces = strings.NewReplacer("\u202f", "", "\u00a0", " ")

// text returns an element's value or text.
func (b *tab) text(at string) string {
	b.Helper()
	return spaces.Replace(eval[string](b, fmt.Sprintf(`(e => e.value || e.textContent)(document.querySelector(%q))`, at)))
}

// enter writes into a field.
func (b *tab) enter(at, value string) {
	b.Helper()
	eval[bool](b, fmt.Sprintf(`(e => { e.value = %q; return e.dispatchEvent(new Event("input", {bubbles: true})) })(
		document.querySelector(%q))`, value, at))
}

// press presses keys with the focus on a part of the page.
func (b *tab) press(at, keys string) {
	b.Helper()
	strategytest.Must(b.T, chromedp.Do(b.ctx, chromedp.Focus(at), chromedp.KeyEvent(keys)))
}

// The page shows what an address asks for, or refuses it with a valid alternative.
func TestAddress(t *testing.T) {
	b := open(t, desk)
	for _, c := range []struct{ hash, at, shown, refused string }{
		{"users=30M", "#users-field", "30 million", ""},
		{"choose?users=12345&window=500", "#users-field", "12,345", ""},
		{"fpr=1%25", "#rate-field", "1 %", ""},
		{"memory=8GiB&strategy=queue", "#memory-field", "8.59 GB", ""},
		{"window=450", "#window-refused", "The page has 500, the next longer. “go run ./experiments choose", ""},
		{"users=-3", "#users-field", "10 million", "“-3” is out of range, want 1 to 1 billion, as 30M or 30 million."},
		{"users=2.5", "#users-field", "10 million", "“2.5” is not a whole number"},
		{"window=many", "#window-field", "400", "“many” is not a number, want 1 to 2000 articles. Shown is 400."},
		{"memory=8", "#take select", "the recommended strategy", "“8” has no unit"},
		{"frontier?bytes=few", "#limits [name=bytes]", "", "“few” is not a number, want 0 or more"},
		{"made=nothing", "#limits [name=made]", "2 % at worst", "“nothing” is none of its choices, want 2 % at worst"},
		{"colour=red", "#users-field", "10 million", "colour=red: this page knows users, window, rate, memory"},
		{"nowhere", "#users-field", "10 million", "no part of this page is called so"},
	} {
		eval[bool](b, fmt.Sprintf(`(location.hash = %q, dispatchEvent(new Event("hashchange")))`, c.hash))
		refused := b.text("#refused")
		if got := b.text(c.at); !strings.HasPrefix(got, c.shown) || !strings.Contains(refused, c.refused) {
			t.Errorf("%s shows %q and refuses with %q, want %q and %q", c.hash, got, refused, c.shown, c.refused)
		}
		if seen := eval[bool](b, `(r => r.height > 0 && r.top >= 0 && r.bottom <= innerHeight)(
			document.querySelector("#refused").getBoundingClientRect())`); seen != (c.refused != "") {
			t.Errorf("%s: a refusal is to be seen: %t", c.hash, seen)
		}
	}
}

// Numbers are typed as people write them; the code is copied.
func TestFields(t *testing.T) {
	b := open(t, desk)
	eval[bool](b, `(navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }, true)`)
	b.enter("#users-field", "30M")
	b.enter("#memory-field", "1GB")
	b.enter("#memory-field", "x")
	if wrong := b.text("#memory-refused"); !strings.Contains(wrong, "“x” is not a number, want a size with a unit") {
		t.Errorf("a memory of x is refused with %q", wrong)
	}
	if met := eval[int](b, `document.querySelectorAll("#answer [data-of=total]:not(.over)").length`); met != 0 {
		t.Errorf("%d strategies hold 30 million users in 1 GB", met)
	}
	b.enter("#strategy", "chain-sized")
	c := strategytest.Value(chain.Sized(400, 0.02))
	b.press("#copy-go", kb.Enter)
	strategytest.Contains(t, eval[string](b, `window.copied`),
		fmt.Sprintf("memory, err := chain.New(chain.Config{Links: %d, Capacity: %d, ", c.Links, c.Capacity), "copied")
	strategytest.Equal(t, eval[string](b, "location.hash"),
		"#choose?users=30000000&memory=1000000000B&strategy=chain-sized", "the address ends with")
}

// The page opens with a dot for each structure: bytes are the table's, and theory's at other rates. Arrow keys go from
// dot to dot, and Enter to the line.
func TestOpening(t *testing.T) {
	b := open(t, desk)
	told := func() []string {
		return eval[[]string](b, `Array.from(document.querySelectorAll("#opening .point"), p => p.ariaLabel)`)
	}
	has := func(name string, bytes int) {
		want, at := fmt.Sprintf("%s: %d bytes, ", name, bytes), spaces.Replace(strings.Join(told(), "\n"))
		if !strings.Contains(at, want) {
			t.Errorf("no dot is %s: %s", want, at)
		}
	}
	lines, _ := b.trades()
	for _, line := range lines {
		if line.Name != "confirmed" { // a study, which nobody is offered
			has(line.Name, int(line.Bytes))
		}
	}
	// The advice is README's at first, and then follows the slider.
	readme := strings.Join(strings.Fields(string(strategytest.Value(os.ReadFile("../../../README.md")))), " ")
	strategytest.Contains(t, readme, b.text("#advice"), "README.md")
	first := b.text("#advice")
	b.press("#strict", kb.ArrowRight)
	if got := b.text("#advice"); got == first || !strings.HasPrefix(got, "Take ") {
		t.Errorf("at 1 %% the advice is %q", got)
	}
	strategytest.Equal(t, b.text("#advice-for"), "A window of 400, an FPR of 1 %:", "the advice is for")
	has("chain-sized", strategytest.Value(chain.New(strategytest.Value(chain.Sized(400, 0.01)))).Bytes(5000))
	strategytest.Equal(t, eval[string](b, "location.hash"), "#opening?rate=0.01", "the address ends with")
	b.press("#opening .point[tabindex='0']", kb.ArrowRight+kb.ArrowRight)
	strategytest.Equal(t, b.text("#opening .tip:not([hidden])"), spaces.Replace(told()[2]), "beside the dot stands")
	strategytest.Must(t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Enter)))
	name, _, _ := strings.Cut(told()[2], ":")
	strategytest.Equal(t, eval[string](b, `document.activeElement.cells[0].textContent`), name, "Enter leads to")
}

// The playground starts with articles and an outlined false positive. It is filled by keyboard: rates are as the exact
// forms have them, the chain forgets, and it begins again.
func TestPlayground(t *testing.T) {
	b := open(t, desk)
	eval[bool](b, `(document.querySelector("#play").scrollIntoView(), true)`)
	outlined := strategytest.Value(chromedp.Run(b.ctx,
		chromedp.Poll[int](`document.querySelectorAll("#play .bits .set.asked").length`)))
	unset := eval[int](b, `document.querySelectorAll("#play .bits .asked:not(.set)").length`)
	said := b.text("#play-said")
	if outlined < 8 || unset > 0 || strings.Count(said, "seen, a false positive") != 2 {
		t.Errorf("%d bits are outlined, and %d that are not set: %q", outlined, unset, said)
	}
	b.press("#play-step", strings.Repeat(kb.Enter, 5))
	strategytest.Contains(t, b.text("#play-said"), "Link 1 held the oldest articles, 1 to 8: it is cleared", "41 articles")
	links := chain.Config{Links: 5, Capacity: 8, Geometry: bloom.Geometry{Bits: 64, Hashes: 5}}
	for of, theory := range map[string]float64{
		"filter": bloom.Exact(41, bloom.Geometry{Bits: 320, Hashes: 5}),
		"chain":  strategytest.Value(chain.New(links)).FPR(41),
	} {
		rate := func(column int) float64 {
			text := b.text(fmt.Sprintf("#play-rates [data-of=%s] :nth-child(%d)", of, column))
			return mustFloat(strings.TrimSuffix(text, " %")) / 100
		}
		// Ten standard errors of 20,000 candidates. Candidates of one user share luck, which at most doubles the error.
		measured, formula := rate(2), rate(3)
		if !(math.Abs(measured-theory) < 10*math.Sqrt(theory/20_000)) || !(math.Abs(formula/theory-1) < 0.01) {
			t.Errorf("%s: measured %v, by the formula %v, theory has %v", of, measured, formula, theory)
		}
	}
	b.enter("#play-ask", "2")
	if said := b.text("#play-said"); !strings.Contains(said, "The filter: seen. The chain: not seen: it is forgotten.") {
		t.Errorf("of article 2 it says %q", said)
	}
	b.press("#play-run", kb.Enter)
	more := strategytest.Value(chromedp.Run(b.ctx,
		chromedp.Poll[bool](`document.querySelectorAll("#play-drawn circle.chain").length > 9`)))
	b.press("#play-run", kb.Enter)
	if state := b.text("#play-run"); !more || state != "Run" {
		t.Errorf("paused, its button says %q", state)
	}
	b.press("#play-reset", kb.Enter)
	strategytest.Equal(t, eval[int](b, `document.querySelectorAll("#play .bits .set").length`), 0, "bits set at the start")
}

// The page is small, and the words of its figures are found and can be copied.
func TestBytes(t *testing.T) {
	if info := strategytest.Value(os.Stat(strategytest.Value(written()))); info.Size() > 2_500_000 {
		t.Errorf("the page has %d bytes, want 2.5 MB at most", info.Size())
	}
	b := open(t, desk)
	copied := eval[string](b, `(getSelection().selectAllChildren(document.querySelector(".findings .drawing svg")),
		String(getSelection()))`)
	found := eval[bool](b, `(texts => {
		getSelection().removeAllRanges();
		return find(texts.reduce((a, b) => a.length > b.length ? a : b, "")) &&
			!!getSelection().anchorNode.parentElement.closest(".drawing text");
	})(Array.from(document.querySelectorAll(".findings .drawing text"), e => e.textContent))`)
	if len(copied) < 100 || !found {
		t.Errorf("of a figure is copied %q; its words are found: %t", copied, found)
	}
}
