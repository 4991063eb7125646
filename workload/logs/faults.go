package logs

import "fmt"

// A Fault is a line that could not be read.
type Fault struct {
	File   string
	Line   int64 // from 1; of a record of several lines, the first
	Reason string
}

// Error is file:line: reason.
func (f Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Reason) }

// Judge is what Err is at the end of a log of which this was read, first being its
// first fault: an error where there are more faults than the options allow. It is
// for a caller that reads the files of a log apart, each with MaxShare 1, and adds up
// their counts.
func (o Options) Judge(c Counts, first Fault, f Format) error {
	o, err := o.withDefaults()
	if err == nil {
		err = o.tooMany(c, first)
	}
	if err != nil || c.Faults == 0 || float64(c.Faults) <= o.MaxShare*float64(c.Lines-c.Blank) {
		return err
	}
	return fmt.Errorf("logs: %d of %d lines cannot be read, more than %v of them (--share): is this %s? The first: %w",
		c.Faults, c.Lines-c.Blank, o.MaxShare, f, first)
}

// tooMany is the error of more faults than MaxFaults. It holds whatever was read
// when that was noticed.
func (o Options) tooMany(c Counts, first Fault) error {
	most := max(o.MaxFaults, 0)
	if c.Faults <= int64(most) {
		return nil
	}
	return fmt.Errorf("logs: more than %d lines cannot be read (--faults); the first: %w", most, first)
}
