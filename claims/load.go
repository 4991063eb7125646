package claims

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
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

// All is every claim of the ledger, in the order of the sources. The slice is the caller's. A fault in the embedded
// files, which a test loads, is a panic.
func All() []Claim { return slices.Clone(embedded()) }

var embedded = sync.OnceValue(func() (all []Claim) {
	reasons := map[string]string{}
	_, err := toml.DecodeFS(files, reasonsFile, &reasons)
	for _, s := range sources {
		name := string(s.Source) + ".toml"
		text, unread := files.ReadFile(name)
		claims, wrong := load(string(text), reasons, s.Source, s.letter)
		if err = errors.Join(err, unread, wrong); err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
		all = append(all, claims...)
	}
	return all
})

// reasonsFile has the reasons that several claims share, by name.
const reasonsFile = "reasons.toml"

// load reads the claims of one file, and refuses what does not fit. That its queries name rows, and that amendments
// show their numbers, tests find.
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
	name := regexp.MustCompile("^" + letter + "[1-9][0-9]?[a-d]?$")
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
		err := c.complete(reasons)
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
func (c *Claim) complete(reasons map[string]string) error {
	computed := len(c.Evidence) > 0
	switch v, stated := c.Stated.Get(); {
	case c.Section == "" || c.Says == "":
		return errors.New("want a section, and what the source says there")
	case computed == (c.Silent != ""):
		return errors.New("want either evidence or, in silent, why no row can answer it")
	case computed && c.Quantity == "":
		return errors.New("quantity is missing: say what is compared")
	case !slices.Contains(units, c.Unit):
		return fmt.Errorf("unit = %q: want one of %q", c.Unit, units)
	case stated && computed && !c.Region.contains(v, v): // it must make the claim true
		return fmt.Errorf("stated = %v: lies outside the region, %s", v, c.Region)
	}
	for _, r := range c.rules() {
		r.Because = cmp.Or(r.Because, reasons[r.Reason])
		if len(r.Evidence) > 0 && r.Because == "" {
			return fmt.Errorf("want because, the reason in words, or reason, its name in %s", reasonsFile)
		}
	}
	return nil
}
