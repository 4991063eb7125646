package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// An unpacker finds out to how many bytes pages unpack, before the library does that
// without a bound.
type unpacker struct {
	packed, plain []byte
	zstd          *zstd.Decoder
}

// size is how many bytes packed bytes unpack to, or an error where these are more than
// most.
func (u *unpacker) size(codec format.CompressionCodec, packed []byte, most int64) (n int64, err error) {
	in := bytes.NewReader(packed)
	var out io.Reader
	switch codec {
	case format.Uncompressed:
		n = int64(len(packed))
	case format.Snappy:
		length, fault := snappy.DecodedLen(packed)
		n, err = int64(length), fault
	case format.Lz4Raw:
		if int64(cap(u.plain)) < most {
			u.plain = make([]byte, most)
		}
		length, fault := lz4.UncompressBlock(packed, u.plain[:most])
		n, err = int64(length), fault
	case format.Zstd:
		if u.zstd == nil {
			if u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(longestPage)); err != nil {
				return 0, err
			}
		}
		err = u.zstd.Reset(in)
		out = u.zstd
	case format.Gzip:
		out, err = gzip.NewReader(in)
	case format.Brotli:
		out = brotli.NewReader(in)
	default:
		return 0, fmt.Errorf("it is packed with %v, want snappy, gzip, zstd, lz4_raw, brotli or nothing", codec)
	}
	if err == nil && out != nil {
		n, err = io.Copy(io.Discard, io.LimitReader(out, most+1))
	}
	if err == nil && n > most {
		err = errors.New("there is more")
	}
	if err != nil {
		return 0, fmt.Errorf("it does not unpack to %d bytes, as it claims: %w", most, err)
	}
	return n, nil
}

// page finds out to how many bytes the page unpacks that follows its header, and corrects
// what the header claims.
func (u *unpacker) page(r io.ReaderAt, at int64, codec format.CompressionCodec, h *pageHeader) error {
	if h.levels < 0 || h.levels > min(h.packed, h.unpacked) {
		return fmt.Errorf("it claims %d bytes of levels among %d", h.levels, h.packed)
	}
	if h.plain {
		codec = format.Uncompressed
	}
	packed, unpacked := h.packed-h.levels, h.unpacked-h.levels
	if packed == 0 {
		return nil
	}
	if int64(cap(u.packed)) < packed {
		u.packed = make([]byte, packed)
	}
	if _, err := r.ReadAt(u.packed[:packed], at+h.length+h.levels); err != nil {
		return err
	}
	n, err := u.size(codec, u.packed[:packed], unpacked)
	h.unpacked = h.levels + n
	return err
}

func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}
