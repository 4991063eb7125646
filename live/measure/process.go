package measure

import (
	"time"

	"github.com/prometheus/procfs"
)

// memory is what processes take, in bytes: their own, and with that what they share with files and others.
type memory struct{ anonymous, resident int64 }

// family is a process and its children, as Linux lists them.
func (p *Process) family() (of []procfs.ProcStat, err error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		s, err := one.Stat()
		if err == nil && (s.PID == p.cmd.Process.Pid || s.PPID == p.cmd.Process.Pid) { // others may have ended
			of = append(of, s)
		}
	}
	return of, nil
}

// spent is the time that the server and its children have had of all processors.
func (p *Process) spent() (sum time.Duration) {
	of, _ := p.family() // memory has reported what is wrong
	for _, one := range of {
		sum += time.Duration(one.CPUTime() * float64(time.Second))
	}
	return sum
}

// memory is that of the server and its children.
func (p *Process) memory() (sum memory, err error) {
	of, err := p.family()
	for _, one := range of {
		proc, err := procfs.NewProc(one.PID)
		if err != nil {
			return sum, err
		}
		s, err := proc.NewStatus()
		if err != nil {
			return sum, err
		}
		sum.anonymous, sum.resident = sum.anonymous+int64(s.RssAnon), sum.resident+int64(s.VmRSS)
	}
	return sum, err
}
