package main

import (
	"bytes"
	"encoding/csv"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"dejavu/workload/logs/decision"
)

// sample is a file of some rows.
func sample(t testing.TB) []byte {
	type event struct {
		User    string  `parquet:"user,dict,lz4"`
		Article []int64 `parquet:"article,list,gzip"`
		Time    int64   `parquet:"time,timestamp(microsecond),zstd"`
	}
	var rows []event
	for i := range 40 {
		rows = append(rows, event{string(rune('a' + i%5)), []int64{int64(i), 7}, int64(i) * 1e6})
	}
	return written(t, rows, parquet.MaxRowsPerRowGroup(25))
}

// read is what is said of a file that lies in memory.
func read(file []byte) error {
	w := &writer{csv: csv.NewWriter(io.Discard)}
	return w.read(bytes.NewReader(file), int64(len(file)), new(decision.Columns))
}

// A file that was cut anywhere is an error; one that has any byte changed gives an error or lines, within little memory.
func TestDamaged(t *testing.T) {
	file := sample(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for n := range file {
		if err := read(file[:n]); err == nil || !strings.Contains(err.Error(), "is not a whole Parquet file") {
			t.Fatalf("%d of %d bytes: %v", n, len(file), err)
		}
		for _, bit := range []byte{0x01, 0x80, 0xff} {
			changed := bytes.Clone(file)
			changed[n] ^= bit
			_ = read(changed)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(4*len(file)); each > 1<<20 {
		t.Errorf("%d bytes for each file of %d", each, len(file))
	}
	// A footer of two thousand million schema elements.
	err := read([]byte("PAR1\x15\x02\x19\xfc\xff\xff\xff\xff\x07\x09\x00\x00\x00PAR1"))
	if err == nil || !strings.Contains(err.Error(), "a list of 2147483647 elements, in 9 bytes") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	f.Fuzz(func(_ *testing.T, file []byte) { _ = read(file) })
}
