package measure

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memory is what processes take, in bytes: their own, and with that what they share with files and others.
type memory struct{ anonymous, resident int64 }

// family is a process and its children, as Linux lists them.
func (p *Process) family() []int {
	all := []int{p.cmd.Process.Pid}
	paths, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a good one
	for _, path := range paths {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if of := stat(pid); len(of) > 1 && of[1] == strconv.Itoa(all[0]) {
			all = append(all, pid)
		}
	}
	return all
}

// stat are the fields of a process from its state on, none where it has ended.
func stat(pid int) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
}

// spent is the time that the server and its children have had of all processors.
func (p *Process) spent() (sum time.Duration) {
	const user, system, tick = 11, 12, 10 * time.Millisecond
	for _, pid := range p.family() {
		for i, field := range stat(pid) {
			if n, err := strconv.Atoi(field); err == nil && (i == user || i == system) {
				sum += time.Duration(n) * tick
			}
		}
	}
	return sum
}

// memory is that of the server and its children.
func (p *Process) memory() (sum memory, err error) {
	for _, pid := range p.family() {
		f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return sum, err
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			if len(fields) < 2 {
				continue
			}
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64) // another line
			switch fields[0] {
			case "RssAnon:":
				sum.anonymous += kilobytes << 10
			case "VmRSS:":
				sum.resident += kilobytes << 10
			}
		}
		f.Close()
	}
	return sum, nil
}
