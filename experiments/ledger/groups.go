package ledger

import (
	"slices"

	"dejavu/claims"
	"dejavu/results"
)

// A Group is the claims of one verdict.
type Group struct {
	Verdict claims.Verdict
	Claims  results.Table // a line a claim; in place of the verdict stands on which side the rows lie
}

// Groups is the ledger by verdict: what was refuted first, for there is the news.
func (l Ledger) Groups() (groups []Group) {
	order := append([]claims.Verdict{claims.Refuted}, slices.DeleteFunc(slices.Clone(claims.Verdicts),
		func(v claims.Verdict) bool { return v == claims.Refuted })...)
	all := l.Findings
	for _, v := range order {
		l.Findings = slices.DeleteFunc(slices.Clone(all), func(f claims.Finding) bool { return f.Verdict != v })
		if len(l.Findings) == 0 {
			continue
		}
		t := l.Verdicts(false)
		at := slices.Index(t.Header, "verdict")
		t.Header[at] = "found is"
		for i, f := range l.Findings {
			t.Rows[i][at] = f.Beyond()
		}
		groups = append(groups, Group{v, t})
	}
	return groups
}
