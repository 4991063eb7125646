package describe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"dejavu/results"
	"dejavu/workload"
)

// A Fitted population is what a file of one holds.
type Fitted struct {
	Fit
	Log *results.Log `json:"log,omitempty"` // what it was fitted to
}

// Write writes a population's file, whole or not at all.
func (f Fitted) Write(path string) error {
	return results.Replace(path, func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(f)
	})
}

// ReadPopulation reads such a file, and says in which respects its fit is poor, as Fit.Poor does: nothing where it is
// good or the file has been written by hand without that. An error names the file and what is wrong in it.
func ReadPopulation(path string) (c workload.DailyConfig, poor string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return c, "", err
	}
	if c, poor, err = parsePopulation(data); err != nil {
		return c, "", fmt.Errorf("%s: %w", path, err)
	}
	return c, poor, nil
}

// parsePopulation reads one: every field of the population must be there, and none that is unknown.
func parsePopulation(data []byte) (c workload.DailyConfig, poor string, err error) {
	var file struct {
		Population map[string]json.RawMessage `json:"population"`
		Goodness   []Goodness                 `json:"goodness"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			err = fmt.Errorf("byte %d of %d: %w", syntax.Offset, len(data), err)
		}
		return c, "", err
	}
	if len(file.Population) == 0 {
		return c, "", errors.New(`no "population" in it; 'describe --fit' writes such a file`)
	}
	for field, value := range reflect.ValueOf(&c).Elem().Fields() {
		if !field.IsExported() {
			continue
		}
		name := field.Tag.Get("json")
		text, ok := file.Population[name]
		if !ok {
			return c, "", fmt.Errorf("population has no %q", name)
		}
		if err := json.Unmarshal(text, value.Addr().Interface()); err != nil || string(text) == "null" {
			return c, "", fmt.Errorf("population: %q is %s, which is no such number", name, text)
		}
		delete(file.Population, name)
	}
	for name := range file.Population {
		return c, "", fmt.Errorf("population has an unknown %q", name)
	}
	return c, Fit{Goodness: file.Goodness}.Poor(), c.Validate()
}
