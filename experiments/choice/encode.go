package choice

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
)

// WriteCSV writes a line for each offer, numbers as they are. What JSON leaves out
// is empty.
func WriteCSV(w io.Writer, all []Offer) error {
	out := csv.NewWriter(w)
	// What goes wrong, Error tells.
	_ = out.Write([]string{
		"strategy", "fits", "why", "links", "capacity", "threshold", "bits", "hashes",
		"payload bytes", "header bytes", "user bytes", "total bytes", "fpr", "fpr mean", "window least", "window most",
		"until", "fpr twice", "multiplications", "loads", "cache lines", "measured ns", "measured on",
		"possible fpr", "possible window", "go", "geometry", "user bytes twice",
	})
	number := func(v float64) string {
		if v == 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	whole := func(v int) string { return number(float64(v)) }
	for _, o := range all {
		_ = out.Write([]string{
			o.Strategy, strconv.FormatBool(o.Fits), o.Why, whole(o.Links), whole(o.Capacity), whole(o.Threshold), whole(o.Bits), whole(o.Hashes),
			whole(o.Payload), strconv.Itoa(o.Header), whole(o.User), strconv.FormatInt(o.Total, 10), number(o.FPR), number(o.FPRMean), whole(o.Window), whole(o.WindowMost),
			whole(o.Until), number(o.FPRTwice), strconv.Itoa(o.Multiplications), whole(o.Loads), whole(o.Lines), number(o.Nanos), o.MeasuredOn,
			number(o.PossibleFPR), whole(o.PossibleWindow), o.Go, o.Geometry, whole(o.UserTwice),
		})
	}
	out.Flush()
	return out.Error()
}

// WriteJSON writes what was asked for and every offer, and of a log, which may be nil,
// what it says.
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
	}{n.Users, n.Window, n.FPR, n.life(), n.Memory, Fitting(all), candidates, reference().machine, take.Strategy, log, all})
}
