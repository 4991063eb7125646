package results

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"dejavu/internal/plural"
)

// A Sum records what a file of rows held when it was written.
type Sum struct {
	File   string `json:"file"`   // its name in the run's directory
	Rows   int    `json:"rows"`   // lines below the header
	Digest string `json:"digest"` // xxhash64 of its bytes, sixteen hexadecimal digits
}

// Sums returns the checksums of an experiment's two files in dir, for its Status.
func Sums(dir, experiment string) ([]Sum, error) {
	var sums []Sum
	for _, name := range []string{FileName(experiment), TimingFileName(experiment)} {
		s, err := sum(os.DirFS(dir), name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
		sums = append(sums, s)
	}
	return sums, nil
}

func sum(dir fs.FS, name string) (Sum, error) {
	data, err := fs.ReadFile(dir, name)
	if err != nil {
		return Sum{}, err
	}
	rows := max(bytes.Count(data, []byte("\n"))-1, 0) // a name holds no line break
	return Sum{name, rows, fmt.Sprintf("%016x", xxhash.Sum64(data))}, nil
}

// Faults lists what does not belong together in dir: files that differ from the manifest's sums, and experiments that
// ran on another machine or Go than the manifest names. A manifest without sums is trusted.
func Faults(dir string, m Manifest) (faults []error) {
	for _, s := range m.Experiments {
		for _, want := range s.Files {
			got, err := sum(os.DirFS(dir), want.File)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				err = fmt.Errorf("%s: missing, but %s says it has %s", want.File, ManifestName, rows(want.Rows))
			case err != nil:
				err = fmt.Errorf("%s: %w", want.File, err)
			case got.Rows < want.Rows:
				err = fmt.Errorf("%s: ends at line %d, %s says it has %s: cut short",
					want.File, got.Rows+1, ManifestName, rows(want.Rows))
			case got.Rows > want.Rows:
				err = fmt.Errorf("%s: more rows than %s records (%d): the file is from another run",
					want.File, ManifestName, want.Rows)
			case got.Digest != want.Digest:
				err = fmt.Errorf("%s: a value in its %s is not the one that was written (digest %s, %s says %s)",
					want.File, rows(want.Rows), got.Digest, ManifestName, want.Digest)
			}
			if err != nil {
				faults = append(faults, err)
			}
		}
		if s.Environment != nil {
			faults = append(faults, fmt.Errorf("%s: experiment %s ran on %s, the others on %s: "+
				"their times do not compare, run it again", ManifestName, s.Name, s.Environment, m.Environment))
		}
	}
	return faults
}

// Differs says why results of two runs (users, seed, share, population, log, pool) may not share a directory, or "".
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
	case !slices.Equal(m.Runs, other.Runs):
		return fmt.Sprintf("runs pooled are %q, not %q", m.Runs, other.Runs)
	}
	return ""
}

func (m Manifest) population() string {
	if m.Population == "" {
		return "the default"
	}
	return strconv.Quote(m.Population)
}

const usual = "the usual ones"

func (m Manifest) of() string {
	if m.Log != nil {
		return "a replay of " + strings.Join(m.Log.Files, " ")
	}
	return fmt.Sprintf("a run of %d simulated users", m.Users)
}

// Foreign returns an error for each file in dir that is named like rows and is not, unless its experiment is mended.
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

func rows(n int) string { return plural.Of(n, "row", "rows") }
