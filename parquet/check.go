package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// What a file may ask for. Files of the usual tools have footers of some kB to some MB,
// and pages of a MB and some 100,000 values.
const (
	longestFooter = 16 << 20  // bytes
	mostElements  = 1 << 20   // of all lists of the footer: columns times groups of rows
	longestPage   = 256 << 20 // bytes, unpacked
	mostValues    = 1 << 24   // of a page
	longestHeader = 1 << 20   // bytes, of a page's header, which may have its least and largest value
)

// open opens a file whose beginning and end were looked at. The library takes the sizes
// that a footer claims at their word.
func open(r io.ReaderAt, size int64) (*parquet.File, error) {
	const magic = "PAR1"
	var begin [4]byte
	var end [8]byte
	if size < int64(len(begin)+len(end)) {
		return nil, fmt.Errorf("is not a Parquet file: it has %d bytes", size)
	}
	if _, err := r.ReadAt(begin[:], 0); err != nil {
		return nil, err
	}
	if _, err := r.ReadAt(end[:], size-int64(len(end))); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	switch {
	case string(begin[:]) == "PARE":
		return nil, errors.New("is encrypted: decrypt it first")
	case string(begin[:]) != magic:
		return nil, fmt.Errorf("is not a Parquet file: it begins with %q, where those begin with %q", begin, magic)
	case string(end[4:]) != magic:
		return nil, fmt.Errorf("is cut short, or being written: it ends in %q, where Parquet files end in %q", end[4:], magic)
	case length > size-int64(len(begin)+len(end)) || length > longestFooter:
		return nil, fmt.Errorf("is damaged: its footer claims %d bytes, in a file of %d and of %d at most",
			length, size, longestFooter)
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-int64(len(end))-length); err != nil {
		return nil, err
	}
	s := skimmer{data: footer, elements: mostElements}
	if err := s.skim(); err != nil {
		return nil, fmt.Errorf("is damaged: its footer: %w", err)
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	return f, nil
}

// check looks at what the pages of a group's columns claim to hold, before anything is
// read of them: that it is no more than their share of the file can hold, and as many
// values as the group claims to have rows.
func check(r *overlay, f *parquet.File, group int, found [5]*column) error {
	g := &f.Metadata().RowGroups[group]
	for _, c := range found {
		if c == nil {
			continue
		}
		if c.Index() >= len(g.Columns) {
			return fmt.Errorf("column %q is missing", c.name)
		}
		m := &g.Columns[c.Index()].MetaData
		from := m.DataPageOffset
		if at := m.DictionaryPageOffset; at > 0 && at < from {
			from = at
		}
		if from < 4 || m.TotalCompressedSize < 0 || m.TotalCompressedSize > f.Size()-from {
			return fmt.Errorf("column %q claims bytes %d to %d of %d", c.name, from, from+m.TotalCompressedSize, f.Size())
		}
		// For the library the first group's codec is that of all.
		if codec := c.Compression().CompressionCodec(); codec != m.Codec {
			return fmt.Errorf("column %q is packed with %v here, and with %v in other groups", c.name, m.Codec, codec)
		}
		values, err := pages(r, from, m.TotalCompressedSize, m.Codec == format.Lz4Raw)
		switch {
		case err != nil:
			return fmt.Errorf("column %q: %w", c.name, err)
		case values != m.NumValues:
			return fmt.Errorf("column %q claims %d values, and its pages have %d", c.name, m.NumValues, values)
		case !c.list && values != g.NumRows || values < g.NumRows || g.NumRows < 0:
			return fmt.Errorf("%d rows are claimed, where column %q has %d values", g.NumRows, c.name, values)
		}
	}
	return nil
}

// pages counts the values of the pages of a column, and makes those of LZ4 fit for the library.
func pages(r *overlay, from, size int64, isLZ4 bool) (values int64, err error) {
	column := io.NewSectionReader(r, from, size)
	window := make([]byte, min(size, 256))
	for at := int64(0); at < size; {
		n, err := column.ReadAt(window, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		h, err := header(window[:n])
		if errors.Is(err, io.ErrUnexpectedEOF) && len(window) < longestHeader && at+int64(len(window)) < size {
			window = make([]byte, min(4*len(window), longestHeader)) // it goes on
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("the header of a page at byte %d of the column: %w", at, err)
		}
		end := at + h.length + h.packed
		if end > size {
			return 0, fmt.Errorf("a page of %d bytes ends behind the column's %d", h.packed, size)
		}
		if isLZ4 && !h.plain {
			if err := r.lessen(from+at, h); err != nil {
				return 0, fmt.Errorf("a page at byte %d of the column: %w", at, err)
			}
		}
		at = end
		if !h.dictionary {
			values += h.values
		}
	}
	return values, nil
}

// A pageHeader is what a page claims.
type pageHeader struct {
	length           int64 // of the header itself, in bytes
	packed, unpacked int64
	levels           int64 // of both, what is never packed
	values           int64
	dictionary       bool
	plain            bool // not packed, though the column is

	size [2]int // where in the header the unpacked size is
}

// header reads the header that data begin with, io.ErrUnexpectedEOF where it goes on.
func header(data []byte) (h pageHeader, err error) {
	s := skimmer{data: data, elements: mostElements}
	s.tell = func(path [2]int, n int64, from int) {
		switch path {
		case [2]int{0, 1}:
			h.dictionary = n == 2
		case [2]int{0, 2}:
			h.unpacked, h.size = n, [2]int{from, s.at}
		case [2]int{0, 3}:
			h.packed = n
		case [2]int{5, 1}, [2]int{7, 1}, [2]int{8, 1}: // of a page, a dictionary, and a page of the second kind
			h.values = n
		case [2]int{8, 5}, [2]int{8, 6}: // of which the definition levels, and the repetition levels
			h.levels += n
		case [2]int{8, 7}: // whether it is packed
			h.plain = n == 0
		}
	}
	err = s.skim()
	h.length = int64(s.at)
	switch {
	case err != nil:
	case h.packed < 0 || h.packed > longestPage || h.unpacked < 0 || h.unpacked > longestPage:
		err = fmt.Errorf("it claims %d bytes that unpack to %d, want %d at most", h.packed, h.unpacked, longestPage)
	case h.levels < 0 || h.levels > min(h.packed, h.unpacked):
		err = fmt.Errorf("it claims %d bytes of levels among %d", h.levels, h.packed)
	case h.values < 0 || h.values > mostValues:
		err = fmt.Errorf("it claims %d values, want %d at most", h.values, mostValues)
	}
	return h, err
}
