package claims

import (
	"embed"
	"errors"
	"fmt"
	"reflect"
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

// loadAll reads the files.
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

// A record is a claim as its file has it. Its fields are those of Claim.
type record struct {
	Section, Says, Reading string
	Quantity, Unit         string
	Stated                 *float64
	rule
	Slip, Remedy *amendment
	Silent       string
}

type rule struct {
	Evidence []evidence
	Region   string
	Because  string // the reason in words
	Reason   string // or its name in reasonsFile
}

type amendment struct {
	Says  string
	Shows []number
	rule
}

// evidence is a number, or it and another one.
type evidence struct {
	number
	Over, Less *number
}

// number is a query, under the name of the column that counts.
type number struct {
	Measured, Theory string
	Among            int64
}

// load reads the claims of one file, and refuses what does not fit.
func load(text string, reasons map[string]string, source Source, letter string) (all []Claim, err error) {
	records := map[string]record{}
	meta, err := toml.Decode(text, &records)
	if err != nil {
		return nil, err // names the line and the field, or the claim that is there twice
	}
	var faults []error
	for _, key := range meta.Undecoded() {
		faults = append(faults, fmt.Errorf("claim %s: unknown field %s; there are %s", key[0], key[1:], fieldsFor(key)))
	}
	name := regexp.MustCompile("^" + letter + "[1-9][0-9]?[a-d]?$")
	for _, key := range meta.Keys() {
		if len(key) > 1 {
			continue
		}
		id := key[0]
		if !name.MatchString(id) {
			faults = append(faults, fmt.Errorf("claim %s: want an ID such as %s1 or %s25b", id, letter, letter))
			continue
		}
		c, err := records[id].claim(reasons)
		if err != nil {
			faults = append(faults, fmt.Errorf("claim %s: %w", id, err))
		}
		c.ID, c.Source = id, source
		all = append(all, c)
	}
	return all, errors.Join(faults...)
}

// fieldsFor lists the fields that there are where the key is unknown.
func fieldsFor(key toml.Key) string {
	var of any = record{}
	switch {
	case len(key) == 3 && (key[1] == "slip" || key[1] == "remedy"):
		of = amendment{}
	case len(key) > 2:
		of = evidence{}
	}
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeOf(of)) {
		if !f.Anonymous {
			names = append(names, strings.ToLower(f.Name))
		}
	}
	return strings.Join(names, ", ")
}

// units are those that tables know.
var units = []string{"", results.Bytes, results.Bits, results.Ratio, Times}

// claim is the record as a Claim without its name.
func (r record) claim(reasons map[string]string) (c Claim, err error) {
	c = Claim{
		Section: r.Section, Says: r.Says, Reading: r.Reading, Quantity: r.Quantity, Unit: r.Unit, Silent: r.Silent,
	}
	switch {
	case r.Section == "" || r.Says == "":
		return c, errors.New("want a section, and what the source says there")
	case (len(r.Evidence) > 0) == (r.Silent != ""):
		return c, errors.New("want either evidence or, in silent, why no row can answer it")
	case len(r.Evidence) > 0 && r.Quantity == "":
		return c, errors.New("quantity is missing: say what is compared")
	case !slices.Contains(units, r.Unit):
		return c, fmt.Errorf("unit = %q: want one of %q", r.Unit, units)
	}
	if r.Stated != nil {
		c.Stated = results.Num(*r.Stated)
	}
	if c.Rule, err = r.rule.parse(reasons); err != nil {
		return c, err
	}
	if c.Slip, err = r.Slip.parse(reasons); err != nil {
		return c, fmt.Errorf("slip: %w", err)
	}
	if c.Remedy, err = r.Remedy.parse(reasons); err != nil {
		return c, fmt.Errorf("remedy: %w", err)
	}
	// The number that a source states must make the claim true.
	if v, ok := c.Stated.Get(); ok && c.Silent == "" && !c.Rule.Region.contains(v, v) {
		return c, fmt.Errorf("stated = %v: lies outside region = %q", v, r.Region)
	}
	return c, nil
}

// parse returns the zero Rule for a rule of which nothing is there.
func (r rule) parse(reasons map[string]string) (out Rule, err error) {
	if len(r.Evidence) == 0 {
		if r.Region != "" || r.Because != "" || r.Reason != "" {
			return out, errors.New("evidence is missing: want the rows that the region and the reason are about")
		}
		return out, nil
	}
	for i, e := range r.Evidence {
		one, err := e.parse()
		if err != nil {
			return out, fmt.Errorf("evidence %d: %w", i+1, err)
		}
		out.Evidence = append(out.Evidence, one)
	}
	if out.Region, err = parseRegion(r.Region); err != nil {
		return out, err
	}
	if (r.Because == "") == (r.Reason == "") {
		return out, fmt.Errorf("want either because, the reason in words, or reason, its name in %s", reasonsFile)
	}
	out.Because = r.Because
	if r.Reason != "" {
		var ok bool
		if out.Because, ok = reasons[r.Reason]; !ok {
			return out, fmt.Errorf("reason = %q: %s has no such name", r.Reason, reasonsFile)
		}
	}
	return out, nil
}

// parse returns nil for an amendment that is not there.
func (a *amendment) parse(reasons map[string]string) (out *Amendment, err error) {
	if a == nil {
		return nil, nil
	}
	out = &Amendment{Says: a.Says}
	places := strings.Count(strings.ReplaceAll(a.Says, "%%", ""), "%")
	if a.Says == "" || places != len(a.Shows) || places != strings.Count(a.Says, "%s") {
		return nil, fmt.Errorf("says = %q: want a text with one %%s for each of %d numbers", a.Says, len(a.Shows))
	}
	for i, n := range a.Shows {
		ref, err := n.parse()
		if err != nil {
			return nil, fmt.Errorf("shows %d: %w", i+1, err)
		}
		out.Shows = append(out.Shows, ref)
	}
	out.Rule, err = a.rule.parse(reasons)
	return out, err
}

func (e evidence) parse() (out Evidence, err error) {
	if out.Of, err = e.number.parse(); err != nil {
		return out, err
	}
	by := e.Over
	switch {
	case e.Over != nil && e.Less != nil:
		return out, errors.New("over and less: want one of them")
	case e.Over != nil:
		out.How = Over
	case e.Less != nil:
		out.How, by = Less, e.Less
	default:
		return out, nil
	}
	if out.By, err = by.parse(); err != nil {
		return out, fmt.Errorf("%s: %w", [...]string{Over: "over", Less: "less"}[out.How], err)
	}
	return out, nil
}

func (n number) parse() (r Ref, err error) {
	field, query := "measured", n.Measured
	if n.Theory != "" {
		field, query = "theory", n.Theory
	}
	switch {
	case (n.Measured == "") == (n.Theory == ""):
		return r, errors.New("want the query of a row in either measured or theory")
	case n.Among < 0 || n.Among > 0 && n.Theory != "":
		return r, fmt.Errorf("among = %d: want the number of observations of something measured", n.Among)
	}
	q, err := results.ParseQuery(query)
	if err != nil {
		return r, fmt.Errorf("%s: %w", field, err)
	}
	if q.Strategy == results.Any || q.Open() != nil {
		return r, fmt.Errorf("%s = %q: want the query of one row, without %s", field, query, results.Any)
	}
	return Ref{Query: q, Theory: n.Theory != "", Count: n.Among}, nil
}
