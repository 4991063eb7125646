package claims

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// What a file of claims may not say, and what the error tells.
func TestLoadRefuses(t *testing.T) {
	const whole = `
[P1]
section = "§1"
says = "it is four"
quantity = "what is counted"
unit = "B"
stated = 4
evidence = [{ measured = "e: q of s", among = 7 }, { theory = "e: q of s at x=5", over.measured = "e: p of s" }]
region = "at most 4"
reason = "counted"

  [P1.remedy]
  says = "5 %% of %s"
  shows = [{ theory = "e: q of s" }]

[P2b]
section = "§2"
says = "it is nice"
silent = "a matter of taste"
`
	reasons := map[string]string{"counted": "it is counted"}
	parse := func(text string) ([]Claim, error) { return load(text, reasons, Paper, "P") }
	all, err := parse(whole)
	if err != nil || len(all) != 2 {
		t.Fatalf("%d claims, %v", len(all), err)
	}
	c := all[0]
	if c.ID != "P1" || c.Source != Paper || c.Says != "it is four" || c.Unit != "B" || c.Stated != results.Num(4) ||
		c.Rule.Because != "it is counted" || c.Rule.Region != atMost(4) || c.Evidence[0].Among != 7 ||
		c.Rule.Evidence[1].String() != "e: q of s at x=5 (theory), over e: p of s" || all[1].ID != "P2b" {
		t.Errorf("%+v", all)
	}
	if refs := c.Refs(); len(refs) != 4 || refs[3] != theory("e: q of s") || len(c.Experiments()) != 1 {
		t.Errorf("it rests on %v, of %v", refs, c.Experiments())
	}
	for _, tt := range []struct{ old, instead, want string }{
		{`says = "it is four"`, "", "claim P1: want a section, and what the source says"},
		{`section = "§1"`, "", "claim P1: want a section"},
		{`quantity = "what is counted"`, "", "claim P1: quantity is missing"},
		{`unit = "B"`, `unit = "GB"`, `claim P1: unit = "GB": want one of ["" "B"`},
		{`unit =`, `units =`, "claim P1: unknown field units"},
		{`among =`, `amongst =`, "claim P1: unknown field evidence.amongst"},
		{`shows =`, `show =`, "claim P1: unknown field remedy.show"},
		{`stated = 4`, `stated = 5`, `claim P1: stated = 5: lies outside the region, at most 4`},
		{`stated = 4`, `stated = "four"`, `"P1.stated"`},
		{`[P2b]`, `[P1]`, "P1"},
		{`[P2b]`, `[R2]`, "claim R2: want an ID such as P1"},
		{`[P2b]`, `[P2i]`, "claim P2i: want an ID"},
		{`[P1]`, "P0 = 1\n[P1]", `"P0"`},
		{`at most 4`, `at mosst 4`, `"P1.region"): region = "at mosst 4": want one of "equal to #"`},
		{`region = "at most 4"`, ``, `claim P1: region is missing`},
		{`at most 4`, `4 to 3`, "its lower end is above"},
		{`at most 4`, `at most NaN`, "want one of"},
		{`at most 4`, `at most -Inf`, "want one of"},
		{`at most 4`, `at most #`, "want one of"},
		{`reason = "counted"`, ``, "claim P1: want either because"},
		{`reason = "counted"`, "reason = \"counted\"\nbecause = \"so\"", "claim P1: want either because"},
		{`reason = "counted"`, `reason = "count"`, `claim P1: reason = "count": reasons.toml has no such name`},
		{`"e: q of s", among`, `"q of s", among`, "claim P1: evidence 1: : q of s: want"},
		{`"e: q of s", among`, `"e: q of s at x=", among`, "dimension=value"},
		{`"e: q of s", among`, `"e: q of *", among`, "want the query of one row"},
		{`"e: q of s", among`, `"e: q of s at x=*", among`, "want the query of one row"},
		{`among = 7`, `theory = "e: q of s"`, "claim P1: evidence 1: want the query of a row in either"},
		{`among = 7`, `among = -7`, "claim P1: evidence 1: among = -7"},
		{`over.measured`, `among = 7, over.measured`, "claim P1: evidence 2: among = 7"},
		{`over.measured = "e: p of s"`, `over.measured = "p"`, "claim P1: evidence 2: : p: want"},
		{`over.measured = "e: p of s"`, `less.measured = ""`, `"P1.evidence.less.measured"): query`},
		{`over.measured`, `less.theory = "e: p of s", over.measured`, "over and less: want one"},
		{`5 %% of %s`, `5 %% of nothing`, "claim P1: remedy: says = \"5 %% of nothing\": want a text with one %s"},
		{`5 %% of %s`, `5 % of %s`, "claim P1: remedy: says"},
		{`5 %% of %s`, `5 %% of %d`, "claim P1: remedy: says"},
		{`shows = [{ theory = "e: q of s" }]`, `shows = [{}]`, "claim P1: remedy: shows 1: want the query"},
		{`shows =`, "region = \"anything\"\n  shows =", "claim P1: remedy: evidence is missing"},
		{`[P1.remedy]`, "[P1.slip]\n  says = \"\"\n  [P1.remedy]", "claim P1: slip: says"},
		{`silent = "a matter of taste"`, ``, "claim P2b: want either evidence or, in silent"},
		{`unit = "B"`, `silent = "so"`, "claim P1: want either evidence or, in silent"},
	} {
		text := strings.Replace(whole, tt.old, tt.instead, 1)
		if text == whole {
			t.Errorf("%s is not there", tt.old)
		}
		strategytest.ErrorSays(t, fmt.Sprintf("%s in place of %s", tt.instead, tt.old),
			strategytest.ErrorOf(parse(text)), tt.want)
	}
}

func TestRegions(t *testing.T) {
	for _, c := range []struct {
		text string
		want Region
		says string
	}{
		{"equal to 4e3", equal(4000), "= 4000"},
		{"printed 0.0156 in units of 0.0001", Region{0.0155, 0.0157, 0.0155, 0.0157}, "0.0155 to 0.0157"},
		{"at most 0.02", atMost(0.02), "at most 0.02"},
		{"at least 400", atLeast(400), "at least 400"},
		{"about 500", Region{375, 625, 495, 505}, "375 to 625; as stated 495 to 505"},
		{"0.5 to 2", Region{0.5, 2, 0.5, 2}, "0.5 to 2"},
		{"anything", interval(math.Inf(-1), math.Inf(1)), "no bound is stated"},
	} {
		var r Region
		err := r.UnmarshalText([]byte(c.text))
		near := close(r.Low, c.want.Low, 1e-12) && close(r.High, c.want.High, 1e-12) || r == c.want
		if err != nil || !near || r.String() != c.says {
			t.Errorf("%q: %v, %v; want %q", c.text, r, err, c.says)
		}
	}
}

// The claims are in our own words, in a line each, and every shared reason is needed.
func TestTexts(t *testing.T) {
	for _, c := range All() {
		if len([]rune(c.Says)) > 70 || len([]rune(c.Reading)) > 30 {
			t.Errorf("%s: more than a line", c.ID)
		}
		for _, s := range []string{c.Says, c.Reading, c.Rule.Because, c.Silent} {
			if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
				t.Errorf("%s is not in our words: %s", c.ID, s)
			}
		}
	}
	read := func(name string) string {
		text := strategytest.Value(files.ReadFile(name))
		return string(text)
	}
	var claims string
	for _, s := range sources {
		claims += read(string(s.Source) + ".toml")
	}
	for line := range strings.Lines(read(reasonsFile)) {
		name, _, ok := strings.Cut(line, " = ")
		if ok && !strings.Contains(claims, `reason = "`+name+`"`) {
			t.Errorf("%s: no claim has the reason %s", reasonsFile, name)
		}
	}
}

// Slips are put right by counts and closed forms alone: a rate would be one more test than Holm's correction counts.
func TestSlipsAreCertain(t *testing.T) {
	c := index(reference(t, 10_000_000))
	for _, claim := range All() {
		if claim.Slip == nil {
			continue
		}
		if r := c.test(claim.Slip.Rule); r.chance || r.timed || len(r.missing) > 0 {
			t.Errorf("%s: its correction rests on %+v", claim.ID, r)
		}
	}
}

// What the committed run of ten million users finds of the paper's 0.0156, of one array, and beside it what the dual
// filter and the chain have as wholes. The truths are those of the exact formula, worked out elsewhere (Bose et al.
// 2008; the chain's by union, the means over a cycle). What is measured lies within 4.5 standard errors of them, but
// for one reference in twenty thousand. All verdicts stand in docs/verdicts.md, which a test of package ledger writes.
func TestReferenceVerdicts(t *testing.T) {
	got := map[string]Finding{}
	for _, f := range Judge(reference(t, 10_000_000)).Findings {
		got[f.ID] = f
	}
	for id, truth := range map[string]float64{
		"P12": 0.020268, "P21": 0.020480, "P19a": 0.006283, "P23a": 0.083033, "P23b": 0.079399, "P23c": 0.098229,
	} {
		e := got[id].Estimate
		strategytest.AtMost(t, math.Abs(e.Value-truth)/((e.High-e.Low)/2), 4.5/z95,
			"%s: standard errors from %v to %v", id, e.Low, e.High)
	}
}

// Every row that a claim names is one that the committed run has, so that no
// verdict is lost to a misspelt name; until it is renewed, the smaller one.
func TestRowsAreThere(t *testing.T) {
	large, small := index(reference(t, 10_000_000)), index(reference(t, 20_000))
	for _, claim := range All() {
		for _, r := range claim.Refs() {
			_, err := large.read(r)
			if err == nil {
				continue
			}
			if _, none := small.read(r); none != nil {
				t.Errorf("%s: %v", claim.ID, err)
			} else {
				t.Logf("%s waits for the next reference: %v", claim.ID, err)
			}
		}
	}
}
