package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// shots are the parts worth looking at, from the top.
var shots = []struct{ name, at string }{
	{"top", "body"},
	{"play", "#play"},
	{"table1", "#table1"},
	{"figures", "#figures"},
	{"fpr", "#figure-fpr"},
	{"peers", "#peers"},
	{"choose", "#choose"},
	{"frontier", "#frontier"},
}

func (b *tab) shootAll(name string) {
	b.Helper()
	for _, s := range shots {
		if eval[bool](b, `(e => e && (e.scrollIntoView(), true))(document.querySelector("`+s.at+`")) === true`) {
			b.shoot(name + "-" + s.name)
		}
	}
}

// The page needs nothing but itself, and says what it is.
func TestStandsAlone(t *testing.T) {
	b := open(t, desk)
	for what, expression := range map[string]string{
		"what would be loaded": `Array.from(document.querySelectorAll("[src], [srcset], link[href], object, iframe, use"))
			.filter(e => !/^(data:|#)/.test(e.getAttribute("href"))).map(e => e.outerHTML.slice(0, 80))`,
		"resources": `performance.getEntriesByType("resource").map(e => e.name)`,
		"addresses": `Array.from(document.documentElement.outerHTML.matchAll(/https?:\/\/[^\s"']*/g), m => m[0])`,
		"ids given twice": `Array.from(document.querySelectorAll("[id]"), e => e.id)
			.filter((id, i, all) => all.indexOf(id) !== i)`,
		"links that lead nowhere": `Array.from(document.querySelectorAll("a[href^='#']"))
			.map(e => e.getAttribute("href").slice(1)).filter(id => !document.getElementById(id))`,
		"controls without a label": `Array.from(document.querySelectorAll("input, select"))
			.filter(e => e.type !== "hidden" && !e.labels.length).map(e => e.id)`,
		"tables without a caption or a heading of columns": `Array.from(document.querySelectorAll("table"))
			.filter(t => !t.caption || !t.tHead || !t.querySelector("th[scope=col]")).map(t => t.outerHTML.slice(0, 80))`,
		"lines without a heading": `Array.from(document.querySelectorAll("tbody tr"))
			.filter(r => !r.querySelector("th[scope=row]")).map(r => r.textContent.slice(0, 80))`,
		"drawings without a name": `Array.from(document.querySelectorAll("svg:not([aria-hidden])"))
			.filter(s => s.getAttribute("role") !== (s.closest(".plot") ? "group" : "img") ||
				!["labelledby", "describedby"].every(a => a === "describedby" && s.classList.contains("scatter") ||
				s.getAttribute("aria-" + a).split(" ").every(id => document.getElementById(id).textContent.trim())))
			.map(s => s.id || s.outerHTML.slice(0, 80))`,
		"headings that skip a level": `Array.from(document.querySelectorAll("h1, h2, h3, h4"), h => Number(h.tagName[1]))
			.map((level, i, all) => i && level > all[i - 1] + 1 ? String(i) : "").filter(s => s)`,
	} {
		if found := eval[[]string](b, expression); len(found) > 0 {
			t.Errorf("%s: %q", what, found)
		}
	}
	if n := eval[int](b, `document.querySelectorAll("table").length`); n < 5 {
		t.Errorf("%d tables: is the page empty?", n)
	}
	if title := eval[string](b, "document.title + document.documentElement.lang"); !strings.HasPrefix(title, "Dejavu") ||
		!strings.HasSuffix(title, "en") {
		t.Errorf("title and language: %q", title)
	}
	b.shootAll("desk")
}

// Nothing sticks out of a small screen; what is wider scrolls by itself.
func TestPhone(t *testing.T) {
	b := open(t, phone)
	eval[bool](b, `document.querySelectorAll("details").forEach(d => d.open = true) === undefined`)
	if width := eval[int](b, "document.documentElement.scrollWidth"); width > int(phone.width) {
		t.Errorf("the page is %d wide on a screen of %d", width, phone.width)
	}
	out := eval[[]string](b, `Array.from(document.querySelectorAll("body *"))
		.filter(e => !e.closest(".scroll, nav, svg, .skip, .unseen") && e.getClientRects().length)
		.filter(e => e.getBoundingClientRect().right > innerWidth + 0.5)
		.map(e => e.outerHTML.slice(0, 90))`)
	if len(out) > 0 {
		t.Errorf("stick out to the right: %q", out)
	}
	if drawn := eval[int](b, `document.querySelectorAll(".narrow").length`); drawn == 0 {
		t.Error("no drawing has a narrow form")
	}
	wide := eval[[]string](b, `Array.from(document.querySelectorAll(".drawing"))
		.filter(e => {
			const svg = e.querySelector(".narrow svg");
			return !svg || e.scrollWidth > e.clientWidth || e.querySelector(".wide").checkVisibility() ||
				svg.getBoundingClientRect().width < 1.2 * svg.viewBox.baseVal.width;
		}).map(e => e.getAttribute("aria-label"))`)
	if len(wide) > 0 {
		t.Errorf("drawings too wide, or too small to be read: %q", wide)
	}
	small := eval[[]string](b, `Array.from(document.querySelectorAll("#settings input, #strict, summary, #take button, " +
		".buttons :is(button, input), #limits :is(input[type=number], select, button)"))
		.filter(e => e.getBoundingClientRect().height < 24).map(e => e.outerHTML.slice(0, 90))`)
	if len(small) > 0 {
		t.Errorf("too small for a thumb: %q", small)
	}
	eval[bool](b, `document.querySelectorAll("details:not(.bad)").forEach(d => d.open = false) === undefined`)
	b.shootAll("phone")
}

// contrast lists texts with a contrast to their background below 4.5, the least of WCAG's AA.
const contrast = `(() => {
	const parts = c => c.match(/[\d.]+/g).map(Number);
	const light = c => {
		const [r, g, b] = parts(c).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = e => {
		for (; e; e = e.parentElement) {
			const c = getComputedStyle(e).backgroundColor, p = parts(c);
			if (p.length === 3 || p[3] === 1) return c;
		}
		return "rgb(255, 255, 255)";
	};
	const weak = [];
	let looked = 0;
	for (const e of document.querySelectorAll("body *")) {
		const own = Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim());
		if (!own || !e.getClientRects().length || e.closest(".drawing, script, style")) continue;
		looked++;
		const style = getComputedStyle(e), paper = light(behind(e));
		const text = light(e.closest(".scatter") ? style.fill : style.color);
		const ratio = (Math.max(text, paper) + 0.05) / (Math.min(text, paper) + 0.05);
		if (ratio < 4.5) weak.push(ratio.toFixed(2) + " " + e.outerHTML.slice(0, 90));
	}
	if (looked < 100) weak.push("looked at " + looked + " texts only");
	return weak;
})()`

// The page is readable in the light and in the dark.
func TestContrast(t *testing.T) {
	for _, v := range []view{desk, {desk.width, desk.height, 1, true}, {phone.width, phone.height, 2, true}} {
		b := open(t, v)
		name := "light"
		if v.dark {
			name = "dark"
		}
		// The darkness of the paper, of 255.
		paper := eval[int](b, `Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0])`)
		if v.dark != (paper < 128) {
			t.Errorf("%s: the paper is %d of 255", name, paper)
		}
		eval[bool](b, `document.querySelectorAll("details").forEach(d => d.open = true) === undefined`)
		if weak := eval[[]string](b, contrast); len(weak) > 0 {
			t.Errorf("%s, %d wide: weak contrast: %q", name, v.width, weak)
		}
		if v.dark {
			eval[bool](b, `document.querySelectorAll("details:not(.bad)").forEach(d => d.open = false) === undefined`)
			b.shootAll(map[bool]string{true: "dark", false: "dark-phone"}[v.width == desk.width])
		}
	}
}

// Text in figures has 11 px at least, and the navigation stays in view.
func TestReadable(t *testing.T) {
	b := open(t, desk)
	eval[bool](b, `document.querySelectorAll("details").forEach(d => d.open = true) === undefined`)
	if small := eval[[]string](b, `Array.from(document.querySelectorAll(".drawing svg text, .scatter text"))
		.filter(e => {
			const svg = e.ownerSVGElement, scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
			return scale * parseFloat(getComputedStyle(e).fontSize) < 11;
		}).map(e => e.ownerSVGElement.id + ": " + e.textContent)`); len(small) > 0 {
		t.Errorf("%d texts are too small: %q", len(small), small[:min(len(small), 9)])
	}
	for _, part := range []string{"#table1", "#figures", "#rest"} {
		if top := eval[[]float64](b, `(document.querySelector("`+part+`").scrollIntoView(),
			[document.querySelector("nav"), document.querySelector("`+part+` h2")]
			.map(e => e.getBoundingClientRect().top))`); top[0] != 0 || top[1] < 30 {
			t.Errorf("%s: the navigation is at %v, the title at %v", part, top[0], top[1])
		}
	}
}

// The first screen has the question, the answer and a figure, and the page is no longer than thirteen screens.
func TestFirstScreen(t *testing.T) {
	b := open(t, desk)
	for _, at := range []string{"h1", ".question", ".answer", "#opening-scatter", "#strict"} {
		if bottom := eval[float64](b, `document.querySelector("`+at+`").getBoundingClientRect().bottom`); bottom <= 0 ||
			bottom > float64(desk.height) {
			t.Errorf("%s ends at %v of %d", at, bottom, desk.height)
		}
	}
	if height := eval[int](b, "document.documentElement.scrollHeight"); height >= 10_800 {
		t.Errorf("the page is %d high", height)
	}
}

// On paper figures and claims are open, nothing scrolls, and no control is left.
func TestPrint(t *testing.T) {
	b := open(t, desk)
	strategytest.Must(t, strategytest.ErrorOf(chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Media: "print"})))
	for what, expression := range map[string]string{
		"controls": `Array.from(document.querySelectorAll("input, select, #limits button"))
			.filter(e => e.getClientRects().length).map(e => e.outerHTML.slice(0, 80))`,
		"folded figures": `Array.from(document.querySelectorAll("figure .drawing, .verdict table"))
			.filter(e => !e.checkVisibility()).map(e => e.textContent.slice(0, 80))`,
		"cut tables": `Array.from(document.querySelectorAll(".scroll"))
			.filter(e => (s => s.overflowY !== "visible" || s.maxHeight !== "none")(getComputedStyle(e)))
			.map(e => e.outerHTML.slice(0, 80))`,
	} {
		if found := eval[[]string](b, expression); len(found) > 0 {
			t.Errorf("%s on paper: %q", what, found)
		}
	}
	pdf := strategytest.Value(chromedp.Run(b.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize())))
	if len(pdf) < 50_000 || !strings.HasPrefix(string(pdf[:8]), "%PDF-") {
		t.Errorf("a PDF of %d bytes", len(pdf))
	}
	if dir := os.Getenv("SHOTS"); dir != "" {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, "print.pdf"), pdf, 0o644))
	}
}
