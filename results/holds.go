package results

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Differs says in what a run's results are not those of another, which may then not
// lie in one directory: other users, seed or share of them, another population, a
// log. It is "" where they may, whatever experiments and programs made them.
func (m Manifest) Differs(other Manifest) string {
	switch {
	case (m.Log == nil) != (other.Log == nil):
		return m.of() + ", not " + other.of()
	case m.Log != nil:
		if got, want := strings.Join(m.Log.Files, " "), strings.Join(other.Log.Files, " "); got != want {
			return fmt.Sprintf("the log is %s, not %s", got, want)
		}
		if got, want := cmp.Or(m.Log.Asked, usual), cmp.Or(other.Log.Asked, usual); got != want {
			return fmt.Sprintf("the settings are %s, not %s", got, want)
		}
	case m.Users != other.Users:
		return fmt.Sprintf("users is %d, not %d", m.Users, other.Users)
	case m.Seed != other.Seed:
		return fmt.Sprintf("seed is %d, not %d", m.Seed, other.Seed)
	case m.Shard != other.Shard:
		return fmt.Sprintf("shard is %v, not %v", m.Shard, other.Shard)
	case m.Population != other.Population:
		return fmt.Sprintf("population is %s, not %s", m.population(), other.population())
	}
	return ""
}

// usual are the settings of a replay without flags.
const usual = "the usual ones"

// of names what a run is of.
func (m Manifest) of() string {
	if m.Log != nil {
		return "a replay of " + strings.Join(m.Log.Files, " ")
	}
	return fmt.Sprintf("a run of %d simulated users", m.Users)
}

func (m Manifest) population() string {
	if m.Population == "" {
		return "the default"
	}
	return fmt.Sprintf("%q", m.Population)
}

// Foreign lists what lies in dir under the names of rows and is none, as an error
// each. Of the experiments that mended tells, a new run writes the files anew.
func Foreign(dir string, mended func(experiment string) bool) (faults []error) {
	files := os.DirFS(dir)
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return []error{err}
	}
	for _, e := range entries {
		experiment, _, ok := splitName(e.Name())
		switch {
		case !ok || e.Name()[0] == '.':
		case e.IsDir():
			faults = append(faults, fmt.Errorf("%s is a directory", e.Name()))
		case experiment != Claims && !mended(experiment):
			if _, err := readRows(files, e.Name(), experiment); err != nil {
				faults = append(faults, fmt.Errorf("%s is not a file of rows: %w", e.Name(), err))
			}
		}
	}
	return faults
}
