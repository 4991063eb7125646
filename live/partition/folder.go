package partition

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dejavu/internal/atomicfile"
	"dejavu/live/log"
)

// Reached is the furthest offset that a snapshot of any partition reaches to, by its name; 0: there is none.
func Reached(dir string) (furthest log.Offset, err error) {
	all, err := fs.Glob(os.DirFS(dir), "partition-*-????????????????"+suffix)
	for _, name := range all {
		number := strings.TrimSuffix(name, suffix)
		if n, err := strconv.ParseInt(number[len(number)-16:], 16, 64); err == nil {
			furthest = max(furthest, log.Offset(n))
		}
	}
	return furthest, err
}

// Divided says whether a folder of snapshots records that users are divided into so many partitions, and refuses
// another number, by which they would be looked for elsewhere. Divide records it.
func Divided(dir string, of int) (recorded bool, err error) {
	path := filepath.Join(dir, "partitions")
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("snapshots: %w", err)
	}
	if said := strings.TrimSpace(string(b)); said != strconv.Itoa(of) {
		return false, fmt.Errorf("%s says that users are divided into %q, and partitions of the configuration is %d: "+
			"set it to the former, or to begin anew move log and snapshots away", path, said, of)
	}
	return true, nil
}

// Divide records into how many partitions users are divided, unless another process has done so.
func Divide(dir string, of int) error {
	if err := atomicfile.MakeFolder(dir); err != nil {
		return fmt.Errorf("snapshots: %w", err)
	}
	for try := 0; ; try++ {
		if recorded, err := Divided(dir, of); recorded || err != nil {
			return err
		}
		err := atomicfile.Write(filepath.Join(dir, "partitions"), fmt.Appendln(nil, of))
		if err != nil && try == 20 {
			return fmt.Errorf("snapshots: %w", err)
		}
		time.Sleep(10 * time.Millisecond) // for another that writes it
	}
}
