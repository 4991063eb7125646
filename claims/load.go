package claims

import (
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"dejavu/results"
)

// files are the claims: a file a source, a table a claim. CONTRIBUTING.md explains the fields.
//
//go:embed *.toml
var files embed.FS

// sources are those files in the order of the ledger, with the letter of each one's IDs.
var sources = []struct {
	Source
	letter string
}{{Paper, "P"}, {Article, "R"}, {Lecture, "L"}}

// All is every claim of the ledger, in the order of the sources. The slice is the
// caller's. A fault in the embedded files, which a test loads, is a panic.
func All() []Claim { return slices.Clone(embedded()) }

var embedded = sync.OnceValue(func() []Claim {
	all, err := loadAll()
	if err != nil {
		panic(err)
	}
	return all
})

func loadAll() (all []Claim, err error) {
	text, err := files.ReadFile(reasonsFile)
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	if _, err := toml.Decode(string(text), &reasons); err != nil {
		return nil, fmt.Errorf("%s: %w", reasonsFile, err)
	}
	for _, s := range sources {
		name := string(s.Source) + ".toml"
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		claims, err := load(string(text), reasons, s.Source, s.letter)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, claims...)
	}
	return all, nil
}

// reasonsFile has the reasons that several claims share, by name.
const reasonsFile = "reasons.toml"

// load reads the claims of one file, and refuses what does not fit.
func load(text string, reasons map[string]string, source Source, letter string) (all []Claim, err error) {
	records := map[string]struct {
		Claim
		Stated *float64 // in place of Claim's
	}{}
	meta, err := toml.Decode(text, &records)
	if err != nil {
		return nil, err // names the line and the field, or the claim that is there twice
	}
	var faults []error
	for _, key := range meta.Undecoded() {
		faults = append(faults, fmt.Errorf("claim %s: unknown field %s", key[0], key[1:]))
	}
	name := regexp.MustCompile("^" + letter + "[1-9][0-9]?[a-h]?$")
	for _, key := range meta.Keys() {
		if len(key) > 1 {
			continue
		}
		id := key[0]
		c := records[id].Claim
		c.ID, c.Source = id, source
		if stated := records[id].Stated; stated != nil {
			c.Stated = results.Num(*stated)
		}
		err := c.complete(reasons, meta)
		if !name.MatchString(id) {
			err = fmt.Errorf("want an ID such as %s1 or %s25b", letter, letter)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("claim %s: %w", id, err))
		}
		all = append(all, c)
	}
	return all, errors.Join(faults...)
}

// units are those that tables know.
var units = []string{"", results.Bytes, results.Bits, results.Ratio, Times}

// complete fills in the reasons that have names, and returns what does not fit.
func (c *Claim) complete(reasons map[string]string, meta toml.MetaData) error {
	switch {
	case c.Section == "" || c.Says == "":
		return errors.New("want a section, and what the source says there")
	case (len(c.Evidence) > 0) == (c.Silent != ""):
		return errors.New("want either evidence or, in silent, why no row can answer it")
	case len(c.Evidence) > 0 && c.Quantity == "":
		return errors.New("quantity is missing: say what is compared")
	case !slices.Contains(units, c.Unit):
		return fmt.Errorf("unit = %q: want one of %q", c.Unit, units)
	}
	if err := c.Rule.complete(reasons, meta, c.ID); err != nil {
		return err
	}
	for name, a := range map[string]*Amendment{"slip": c.Slip, "remedy": c.Remedy} {
		if a == nil {
			continue
		}
		if err := a.complete(reasons, meta, c.ID, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	// The number that a source states must make the claim true.
	if v, ok := c.Stated.Get(); ok && c.Silent == "" && !c.Region.contains(v, v) {
		return fmt.Errorf("stated = %v: lies outside the region, %s", v, c.Region)
	}
	return nil
}

// complete is Claim.complete for the rule of a table. One without evidence is the zero Rule.
func (r *Rule) complete(reasons map[string]string, meta toml.MetaData, table ...string) error {
	region := meta.IsDefined(append(table, "region")...)
	if len(r.Evidence) == 0 {
		if region || r.Because != "" || r.Reason != "" {
			return errors.New("evidence is missing: want the rows that the region and the reason are about")
		}
		return nil
	}
	for i, e := range r.Evidence {
		if e.Over != nil && e.Less != nil {
			return fmt.Errorf("evidence %d: over and less: want one of them", i+1)
		}
		for _, ref := range e.Refs() {
			if err := ref.check(); err != nil {
				return fmt.Errorf("evidence %d: %w", i+1, err)
			}
		}
	}
	shared, known := reasons[r.Reason]
	switch {
	case !region:
		return errors.New("region is missing: say where the evidence must lie")
	case (r.Because == "") == (r.Reason == ""):
		return fmt.Errorf("want either because, the reason in words, or reason, its name in %s", reasonsFile)
	case r.Reason != "" && !known:
		return fmt.Errorf("reason = %q: %s has no such name", r.Reason, reasonsFile)
	case known:
		r.Because = shared
	}
	return nil
}

// complete is Claim.complete for an amendment in a table.
func (a *Amendment) complete(reasons map[string]string, meta toml.MetaData, table ...string) error {
	places := strings.Count(strings.ReplaceAll(a.Says, "%%", ""), "%")
	if a.Says == "" || places != len(a.Shows) || places != strings.Count(a.Says, "%s") {
		return fmt.Errorf("says = %q: want a text with one %%s for each of %d numbers", a.Says, len(a.Shows))
	}
	for i, ref := range a.Shows {
		if err := ref.check(); err != nil {
			return fmt.Errorf("shows %d: %w", i+1, err)
		}
	}
	return a.Rule.complete(reasons, meta, table...)
}

// check refuses what does not name one row.
func (r Ref) check() error {
	measured, theory := r.Measured.Quantity != "", r.Theory.Quantity != ""
	switch q := r.Query(); {
	case measured == theory:
		return errors.New("want the query of a row in either measured or theory")
	case r.Among < 0 || r.Among > 0 && theory:
		return fmt.Errorf("among = %d: want the number of observations of something measured", r.Among)
	case q.Experiment == "":
		return fmt.Errorf("%s: want the query of a row with its experiment", q)
	case q.Strategy == results.Any || q.Open() != nil:
		return fmt.Errorf("%s: want the query of one row, without %s", q, results.Any)
	}
	return nil
}
