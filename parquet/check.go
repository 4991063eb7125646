package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// What a file may ask for. Files of the usual tools have footers of some kB to some MB, and pages of a MB and
// some 100,000 values.
const (
	longestFooter = 16 << 20  // bytes
	mostElements  = 1 << 20   // of all lists of the footer: columns times groups of rows
	deepest       = 16        // structs within structs; those of Parquet nest six deep
	longestPage   = 256 << 20 // bytes, unpacked
	mostValues    = 1 << 24   // of a page
	longestHeader = 1 << 20   // bytes, of a page's header, which may have its least and largest value
)

// open opens a file whose beginning, end and footer were looked at: the library takes the lengths that a
// footer claims at their word.
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
	if _, err := decode(footer, new(format.FileMetaData)); err != nil {
		return nil, fmt.Errorf("is damaged: its footer: %w", err)
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	return f, nil
}

// decode reads a struct of Thrift's compact protocol, and says how many bytes it has.
func decode(data []byte, to any) (length int, err error) {
	r := &bounded{reader: new(thrift.CompactProtocol).NewReaderFromBytes(data), left: mostElements}
	err = thrift.NewDecoder(r).Decode(to)
	return r.BytesRead(), err
}

// A bounded reader refuses lists that would take memory before their elements are read, and structs that nest for ever.
type bounded struct {
	reader
	left  int // elements
	depth int // of fields that are structs, less the ends of the elements of lists
}

type reader = thrift.Reader // which has a method of the name that it would have as a field

// ReadList reads the beginning of a list.
func (b *bounded) ReadList() (thrift.List, error) {
	l, err := b.reader.ReadList()
	if b.left -= int(l.Size); err == nil && b.left < 0 {
		err = fmt.Errorf("it has lists of more than %d elements", mostElements)
	}
	return l, err
}

// ReadField reads the beginning of a field.
func (b *bounded) ReadField() (thrift.Field, error) {
	f, err := b.reader.ReadField()
	switch {
	case f.Type == thrift.STOP:
		b.depth = max(b.depth-1, 0)
	case f.Type == thrift.STRUCT:
		b.depth++
	}
	if err == nil && b.depth > deepest {
		err = fmt.Errorf("it nests more than %d deep", deepest)
	}
	return f, err
}

// check looks at what the pages of a group's columns claim to hold, before anything is read of them: that it
// is no more than their share of the file can hold, and as many values as the group claims to have rows.
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
	window := make([]byte, min(size, 256))
	for at := int64(0); at < size; {
		n, err := io.NewSectionReader(r, from, size).ReadAt(window, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		var h format.PageHeader
		length, err := decode(window[:n], &h)
		if err != nil && len(window) < longestHeader && at+int64(len(window)) < size {
			window = make([]byte, min(4*len(window), longestHeader)) // it may go on
			continue
		}
		if err == nil {
			err = claims(&h)
		}
		if err != nil {
			return 0, fmt.Errorf("the header of a page at byte %d of the column: %w", at, err)
		}
		next := at + int64(length) + int64(h.CompressedPageSize)
		if next > size {
			return 0, fmt.Errorf("a page of %d bytes ends behind the column's %d", h.CompressedPageSize, size)
		}
		if isLZ4 {
			if err := r.lessen(from+at, window[:length], &h); err != nil {
				return 0, fmt.Errorf("a page at byte %d of the column: %w", at, err)
			}
		}
		at = next
		values += int64(h.DataPageHeader.V.NumValues) + int64(h.DataPageHeaderV2.V.NumValues)
	}
	return values, nil
}

// claims is what a page claims that none has.
func claims(h *format.PageHeader) error {
	packed, unpacked := h.CompressedPageSize, h.UncompressedPageSize
	if packed < 0 || packed > longestPage || unpacked < 0 || unpacked > longestPage {
		return fmt.Errorf("it claims %d bytes that unpack to %d, want %d at most", packed, unpacked, longestPage)
	}
	second := &h.DataPageHeaderV2.V
	definition, repetition := second.DefinitionLevelsByteLength, second.RepetitionLevelsByteLength
	if definition < 0 || repetition < 0 || int64(definition)+int64(repetition) > int64(min(packed, unpacked)) {
		return fmt.Errorf("it claims %d and %d bytes of levels among %d", definition, repetition, packed)
	}
	for _, n := range []int32{h.DataPageHeader.V.NumValues, h.DictionaryPageHeader.V.NumValues, second.NumValues} {
		if n < 0 || n > mostValues {
			return fmt.Errorf("it claims %d values, want %d at most", n, mostValues)
		}
	}
	return nil
}

// An overlay is a file of which some bytes are read otherwise than they are.
//
// The library (0.32.0, its issue 608) unpacks a page of LZ4 into memory of its own where that packs to more
// than a third, and then reads the page from where it should have been, unless the page turns out to have
// more bytes than its header says, levels included. So its header says one less.
type overlay struct {
	io.ReaderAt
	patches []patch
}

// A patch is bytes in place of those from a place on.
type patch struct {
	at    int64
	bytes []byte
}

// lessen makes the unpacked size of the page whose header is there one less than that of its values, in as many bytes.
// It is an error where they do not unpack to what the header claims: the library would ask for more and more memory.
func (o *overlay) lessen(at int64, header []byte, h *format.PageHeader) error {
	second := &h.DataPageHeaderV2.V
	if second.IsCompressed.Valid && !second.IsCompressed.V {
		return nil
	}
	levels := second.DefinitionLevelsByteLength + second.RepetitionLevelsByteLength
	packed, plain := make([]byte, h.CompressedPageSize-levels), make([]byte, h.UncompressedPageSize-levels)
	if len(packed) == 0 {
		return nil
	}
	if _, err := o.ReaderAt.ReadAt(packed, at+int64(len(header))+int64(levels)); err != nil {
		return err
	}
	length, err := lz4.UncompressBlock(packed, plain)
	if err != nil {
		return fmt.Errorf("it does not unpack to %d bytes, as it claims: %w", len(plain), err)
	}
	if length == 0 {
		return nil
	}
	const size = 3 // is where the unpacked size lies: behind the type and the beginnings of two 32-bit fields
	if header[0] != 0x15 || header[2] != 0x15 {
		return errors.New("its header does not begin with its type and its size")
	}
	_, digits := binary.Uvarint(header[size:])
	p := patch{at + size, make([]byte, digits)}
	n := uint64(length-1) << 1 // as Thrift has a number with a sign
	for i := range p.bytes {
		p.bytes[i] = byte(n&0x7f) | 0x80
		n >>= 7
	}
	p.bytes[digits-1] &= 0x7f
	o.patches = append(o.patches, p)
	return nil
}

// ReadAt reads what the patches leave.
func (o *overlay) ReadAt(b []byte, at int64) (int, error) {
	n, err := o.ReaderAt.ReadAt(b, at)
	for _, p := range o.patches { // few: those of a group of rows
		if p.at < at+int64(n) && p.at+int64(len(p.bytes)) > at {
			copy(b[max(p.at-at, 0):n], p.bytes[max(at-p.at, 0):])
		}
	}
	return n, err
}
