package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// open opens a file whose footer was looked at: the library takes the lengths that it claims at their word.
func open(r io.ReaderAt, size int64) (*parquet.File, error) {
	end := make([]byte, 8)
	if _, err := r.ReadAt(end, size-8); err == nil && string(end[4:]) == "PAR1" {
		length := int64(binary.LittleEndian.Uint32(end))
		footer := new(thrift.CompactProtocol).NewReader(bufio.NewReader(io.NewSectionReader(r, size-8-length, length)))
		if err := thrift.NewDecoder(bounded{footer, length}).Decode(new(format.FileMetaData)); err != nil {
			return nil, err
		}
	}
	return parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}

// A bounded reader refuses lists of more elements than there are bytes, before memory is taken for them.
type bounded struct {
	reader
	length int64
}

type reader = thrift.Reader // under another name than that of its method

// ReadList reads the beginning of a list.
func (b bounded) ReadList() (thrift.List, error) {
	l, err := b.reader.ReadList()
	if int64(l.Size) > b.length {
		return l, fmt.Errorf("it has a list of %d elements, in %d bytes", l.Size, b.length)
	}
	return l, err
}

// chunkOf is a column of a group of rows. The library (0.32.0) cannot read all that there are: it loses pages of LZ4
// that pack to more than a third (its issue 608), asks for ever more memory where one is damaged, and refuses INT96 of
// fastparquet, whose pages end in 8 bytes that mean nothing. So it gets such pages as it needs them.
func chunkOf(f *parquet.File, r io.ReaderAt, group, column int) parquet.ColumnChunk {
	c := f.RowGroups()[group].ColumnChunks()[column].(*parquet.FileColumnChunk)
	m := &f.Metadata().RowGroups[group].Columns[column].MetaData
	padded := strings.HasPrefix(f.Metadata().CreatedBy, "fastparquet")
	if m.Codec != format.Lz4Raw && !padded {
		return c
	}
	from := cmp.Or(m.DictionaryPageOffset, m.DataPageOffset)
	in := bufio.NewReader(io.NewSectionReader(r, from, m.TotalCompressedSize))
	m.DictionaryPageOffset, m.DataPageOffset, m.TotalCompressedSize = 0, 0, math.MaxInt64
	return &pages{FileColumnChunk: c, in: in, codec: m.Codec, padded: padded}
}

// pages are a column of a group of rows, as a file that is read once from its beginning to its end.
type pages struct {
	*parquet.FileColumnChunk
	in     *bufio.Reader
	codec  format.CompressionCodec
	padded bool
	page   bytes.Buffer // what is left of the one at hand
}

// Pages is the column's pages.
func (p *pages) Pages() parquet.Pages { return p.PagesFrom(p) }

// ReadAt reads what follows, wherever that is.
func (p *pages) ReadAt(b []byte, _ int64) (int, error) {
	if p.page.Len() > 0 {
		return p.page.Read(b)
	}
	var h format.PageHeader
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(p.in)).Decode(&h); err != nil {
		return 0, err
	}
	second, codec := h.DataPageHeaderV2.V, parquet.LookupCompressionCodec(p.codec)
	levels := second.DefinitionLevelsByteLength + second.RepetitionLevelsByteLength // which are not packed
	body, plain := make([]byte, h.CompressedPageSize), make([]byte, h.UncompressedPageSize-levels)
	_, err := io.ReadFull(p.in, body)
	switch {
	case err != nil || second.IsCompressed.Valid && !second.IsCompressed.V:
	case p.codec == format.Lz4Raw:
		_, err = lz4.UncompressBlock(body[levels:], plain)
	default:
		plain, err = codec.Decode(plain, body)
	}
	if err == nil && p.padded && h.Type == format.DataPage {
		body, err = codec.Encode(nil, bytes.TrimSuffix(plain, make([]byte, 8)))
	}
	if err != nil {
		return 0, fmt.Errorf("a page of %d bytes: %w", len(body), err)
	}
	h.CRC, h.CompressedPageSize = 0, int32(len(body))
	h.UncompressedPageSize = max(h.UncompressedPageSize, 3*h.CompressedPageSize) + 1
	header, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	p.page.Write(header)
	p.page.Write(body)
	return copy(b, p.page.Next(len(b))), err
}
