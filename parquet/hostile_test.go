package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
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

// read is what becomes of a file that lies in memory.
func read(file []byte) (out string, err error) {
	var b bytes.Buffer
	w := &writer{out: bufio.NewWriter(&b)}
	err = w.read(bytes.NewReader(file), int64(len(file)), columns{"user", "article", "time"})
	w.out.Flush()
	return b.String(), err
}

// footed is the file with another footer.
func footed(t testing.TB, file []byte, change func(*format.FileMetaData)) []byte {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	change(f.Metadata())
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), *f.Metadata())
	if err != nil {
		t.Fatal(err)
	}
	length := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	changed := append(bytes.Clone(file[:len(file)-8-length]), footer...)
	return append(binary.LittleEndian.AppendUint32(changed, uint32(len(footer))), "PAR1"...)
}

// What a file claims and does not have is an error that says so, and takes no memory.
func TestClaims(t *testing.T) {
	file := sample(t)
	if out, err := read(footed(t, file, func(*format.FileMetaData) {})); err != nil || strings.Count(out, "\n") != 81 {
		t.Fatalf("the footer as it is: %v, %d lines", err, strings.Count(out, "\n"))
	}
	with := func(end string) []byte { return append(bytes.Clone(file[:len(file)-len(end)]), end...) }
	meta := func(column int, change func(m *format.ColumnMetaData)) []byte {
		return footed(t, file, func(m *format.FileMetaData) { change(&m.RowGroups[0].Columns[column].MetaData) })
	}
	group := func(change func(g *format.RowGroup)) []byte {
		return footed(t, file, func(m *format.FileMetaData) { change(&m.RowGroups[0]) })
	}
	for what, c := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":       {nil, "is not a Parquet file: it has 0 bytes"},
		"text":          {[]byte("user,article,time\n1,2,3\n"), `is not a Parquet file: it begins with "user"`},
		"cut short":     {file[:len(file)-1], "is cut short, or being written"},
		"encrypted":     {append([]byte("PARE"), file[4:]...), "is encrypted"},
		"a long footer": {with("\xff\xff\xff\xffPAR1"), "is damaged: its footer claims 4294967295 bytes"},
		"an odd footer": {with("\x05\x00\x00\x00PAR1"), "is damaged: its footer: missing required field"},
		"many rows": {group(func(g *format.RowGroup) { g.NumRows = 1 << 60 }), "1152921504606846976 rows are " +
			"claimed, where column \"user\" has 25 values"},
		"fewer rows":    {group(func(g *format.RowGroup) { g.NumRows = 24 }), "24 rows are claimed"},
		"negative rows": {group(func(g *format.RowGroup) { g.NumRows = -1 }), "num_rows=-1 is negative"},
		"many values": {
			meta(1, func(m *format.ColumnMetaData) { m.NumValues = 1 << 60 }),
			"claims 1152921504606846976 values, and its pages have 50",
		},
		"a long column":  {meta(2, func(m *format.ColumnMetaData) { m.TotalCompressedSize = 1 << 60 }), "claims bytes"},
		"a short column": {meta(2, func(m *format.ColumnMetaData) { m.TotalCompressedSize -= 3 }), "ends behind the"},
		"before it all":  {meta(0, func(m *format.ColumnMetaData) { m.DataPageOffset = -9 }), `column "user" claims bytes`},
		"a missing one":  {group(func(g *format.RowGroup) { g.Columns = g.Columns[:1] }), "is damaged"},
	} {
		if _, err := read(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	// Thrift's own lengths: a list of two thousand million schema elements, and one that nests for ever.
	for want, footer := range map[string]string{
		"lists of more than 1048576": "\x15\x02\x19\xfc\xff\xff\xff\xff\x07",
		"nests more than 16 deep":    strings.Repeat("\x1c", 100),
		"unexpected EOF":             "\x18\xff\xff\xff\xff\x07ab",
		"varint overflow":            "\x16\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		b := append([]byte("PAR1"), footer...)
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), "PAR1"...)
		if _, err := read(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a footer of %q: %v, want %q", footer, err, want)
		}
	}
}

// A page that claims more than a page may have is found out by its header.
func TestPageClaims(t *testing.T) {
	for want, h := range map[string]format.PageHeader{
		"it claims 10 bytes that unpack to 2147483647": {UncompressedPageSize: 1<<31 - 1, CompressedPageSize: 10},
		"it claims -1 bytes":                           {CompressedPageSize: -1},
		"it claims 2147483647 values": {
			DataPageHeader: thrift.Null[format.DataPageHeader]{V: format.DataPageHeader{NumValues: 1<<31 - 1}, Valid: true},
		},
		"ends behind the column's": {CompressedPageSize: 1 << 20},
	} {
		b, err := thrift.Marshal(new(thrift.CompactProtocol), h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pages(&overlay{ReaderAt: bytes.NewReader(b)}, 0, int64(len(b)), false); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A page of LZ4 that does not unpack to what it claims is found out before the library, which would
// ask for ever more memory.
func TestLZ4(t *testing.T) {
	const most = 100
	for _, size := range []int{most, most + 1, 1 << 24} {
		packed, err := parquet.Lz4Raw.Encode(nil, make([]byte, size))
		if err != nil {
			t.Fatal(err)
		}
		for _, bytes := range [][]byte{packed, packed[:len(packed)/2]} {
			o := &overlay{ReaderAt: strings.NewReader("12345" + string(bytes))}
			err := o.lessen(0, []byte("\x15\x00\x15\xc8\x01"), &format.PageHeader{
				CompressedPageSize: int32(len(bytes)), UncompressedPageSize: most,
			})
			if fits := size == most && len(bytes) == len(packed); (err == nil) != fits {
				t.Errorf("%d of %d packed bytes of %d where %d are claimed: %v", len(bytes), len(packed), size, most, err)
			}
		}
	}
}

// A file that was cut anywhere, or has any byte changed, gives an error or lines, within little memory.
func TestDamaged(t *testing.T) {
	file := sample(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for n := range file {
		if _, err := read(file[:n]); err == nil {
			t.Fatalf("%d of %d bytes are a file", n, len(file))
		}
		for _, bit := range []byte{0x01, 0x80, 0xff} {
			changed := bytes.Clone(file)
			changed[n] ^= bit
			_, _ = read(changed)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(4*len(file)); each > 4<<20 {
		t.Errorf("%d bytes for each file of %d", each, len(file))
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	f.Fuzz(func(_ *testing.T, file []byte) { _, _ = read(file) })
}
