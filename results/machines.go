package results

import (
	"io/fs"
	"path"
)

// machinesDir holds a folder for each other machine with a whole run.
const machinesDir = "machines"

// Machines returns the committed runs on other machines than the reference's, in the order of their folders' names.
// They contain only times: what follows from the seed is in the reference.
func Machines() (runs []*Run, err error) {
	dirs, err := fs.ReadDir(committed, path.Join("reference", machinesDir))
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		run, err := Committed(path.Join(machinesDir, d.Name()))
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// OverMachines returns a row of times with the least and the greatest value of any machine as its interval, and the
// number of machines that measured it, of which r's is one.
func OverMachines(r Row, others []*Run) (Row, int) {
	n, low, high := 1, r.Value.Or(0), r.Value.Or(0)
	for _, run := range others {
		for _, o := range run.Timing {
			if v, ok := o.Value.Get(); ok && o.Name() == r.Name() {
				n, low, high = n+1, min(low, v), max(high, v)
			}
		}
	}
	r.Low, r.High = Num(low), Num(high)
	return r, n
}

// Widen returns ratios of times with intervals that include the values on other machines, because a ratio depends on
// the machine too. Other rows stay as they are.
func Widen(rows []Row, others []*Run) []Row {
	all := make([]Row, len(rows))
	for i, r := range rows {
		all[i] = r
		if over, n := OverMachines(r, others); r.Unit == Ratio && n > 1 {
			all[i].Low = Num(min(r.Low.Or(over.Low.Or(0)), over.Low.Or(0)))
			all[i].High = Num(max(r.High.Or(over.High.Or(0)), over.High.Or(0)))
		}
	}
	return all
}
