package choice

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// WriteCSV writes a line for each offer, numbers as they are.
func WriteCSV(w io.Writer, all []Offer) error {
	lines := make([][]string, 1+len(all))
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Offer]()) {
		if !field.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		lines[0] = append(lines[0], strings.ReplaceAll(name, "_", " "))
		for i, o := range all {
			v, text := reflect.ValueOf(o).FieldByIndex(field.Index), ""
			if !v.IsZero() || v.Kind() == reflect.Bool || field.Tag.Get("csv") == "0" {
				text = fmt.Sprint(v)
			}
			lines[1+i] = append(lines[1+i], text)
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// WriteJSON writes what was asked for and every offer, and of a log, which may be nil, what it says.
func WriteJSON(w io.Writer, n Need, all []Offer, log *Log) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	take, _, _ := Recommended(all)
	return out.Encode(struct {
		Users      int     `json:"users"`
		Window     int     `json:"window"`
		FPR        float64 `json:"fpr"`
		Articles   int     `json:"articles"`
		Memory     int64   `json:"memory_bytes,omitempty"`
		Fit        int     `json:"fit"`
		Candidates int     `json:"candidates_a_request"`
		Machine    string  `json:"measured_machine"`
		Take       string  `json:"recommended,omitempty"` // an offer's strategy
		Log        *Log    `json:"log,omitempty"`
		Strategies []Offer `json:"strategies"`
	}{
		n.Users, n.Window, n.FPR, n.life(), n.Memory, Fitting(all), candidates, reference().machine, take.Strategy, log, all,
	})
}
