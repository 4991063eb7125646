package logs

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"dejavu/workload/logs/decision"
)

// A counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// maxWindow bounds what a zstd file may ask for: as much as the zstd program grants without being told to.
const maxWindow = 128 << 20

// foreign lists what files have that hold no lines, and where.
var foreign = []struct {
	at          int
	magic, what string
}{
	{0, "\xff\xfe", "UTF-16: 'iconv -f UTF-16 -t UTF-8 FILE' writes it as UTF-8"},
	{0, "\xfe\xff", "UTF-16: 'iconv -f UTF-16 -t UTF-8 FILE' writes it as UTF-8"},
	{257, "ustar", "a tar archive: 'tar -xf FILE' unpacks it; name those of its files that are the log"},
}

// Unpack returns what a file holds, unpacked if its first bytes say that it is packed, and whether it was. A zip archive
// can be unpacked where the file is an *os.File. The caller calls done, which does not close the file.
func Unpack(file io.Reader) (plain *bufio.Reader, done func(), isPacked bool, err error) {
	return unpack(file, new(counter))
}

// unpack is Unpack, and counts what was read of the file.
func unpack(file io.Reader, read *counter) (plain *bufio.Reader, done func(), isPacked bool, err error) {
	in := bufio.NewReaderSize(io.TeeReader(file, read), 1<<16)
	head, err := peek(in)
	if err != nil {
		return nil, nil, false, err
	}
	var from io.ReadCloser
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		from, err = unzip(file, read, int64(in.Buffered()))
	case bytes.HasPrefix(head, []byte("BZh")):
		from = io.NopCloser(bzip2.NewReader(in))
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		if from, err = gzip.NewReader(in); err != nil {
			err = fmt.Errorf("gzip: %w", err)
		}
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		var streams *xz.Reader
		streams, err = xz.NewReader(in)
		from = io.NopCloser(streams)
	case isZstd(head):
		var frames *zstd.Decoder
		frames, err = zstd.NewReader(in,
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		from = frames.IOReadCloser()
	default:
		return in, func() {}, false, nil
	}
	if err != nil {
		return nil, nil, true, err
	}
	return bufio.NewReaderSize(from, 1<<16), func() { from.Close() }, true, nil
}

// lines returns a reader of the lines of a file, unpacked, without the mark that some programs set before UTF-8, and of
// a JSON array the elements as lines. It counts what was read of the file. The caller calls done.
func lines(file io.Reader, read *counter, s source, asked Columns) (plain io.Reader, done func(), err error) {
	in, done, _, err := unpack(file, read)
	if err != nil {
		return nil, nil, err
	}
	head, err := peek(in)
	if err == nil { // what is packed may begin with a mark, too
		for _, f := range foreign {
			if bytes.HasPrefix(head[min(f.at, len(head)):], []byte(f.magic)) {
				err = fmt.Errorf("is %s", f.what)
			}
		}
		if bytes.HasPrefix(head, []byte(parquet)) {
			err = converted(s, asked)
		}
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	if after, marked := bytes.CutPrefix(head, []byte("\xef\xbb\xbf")); marked {
		head = after
		_, err = in.Discard(3)
	}
	if bytes.HasPrefix(bytes.TrimSpace(head), []byte{'['}) {
		head, _ = in.Peek(1 << 10) // an error comes again
		if inside := bytes.TrimSpace(head)[1:]; bytes.HasPrefix(bytes.TrimSpace(inside), []byte{'{'}) {
			return &elements{r: in}, done, err
		}
	}
	return in, done, err
}

// parquet is what such a file begins with.
const parquet = "PAR1"

// isParquet is whether a file is Parquet, perhaps packed.
func isParquet(name string) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	in, done, _, err := Unpack(file)
	if err != nil {
		return false
	}
	defer done()
	head, _ := in.Peek(len(parquet))
	return string(head) == parquet
}

// converted says which command writes the lines of a log's Parquet files, in any directory: the module beside this one
// has it. Many files that are all of a directory are named by a pattern.
func converted(s source, asked Columns) error {
	_, here, _, _ := runtime.Caller(0)
	dir, where := filepath.Join(here, "../../../parquet"), ""
	if _, err := os.Stat(dir); err != nil { // another machine, or a build with -trimpath
		dir, where = "DEJAVU/parquet", ", DEJAVU being the directory of its source"
	}
	var paths []string
	for _, f := range s.log {
		if path, err := filepath.Abs(f.Name); f.Bytes < 0 {
			paths = append(paths, "FILE") // a pipe
		} else if err == nil && isParquet(path) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		paths = []string{"FILE"}
	}
	out, which := filepath.Base(paths[0])+".csv", "its lines"
	if more := len(paths) - 1; more > 0 {
		out, which = fmt.Sprintf("%s-and-%d-more.csv", filepath.Base(paths[0]), more), "the lines of all such files"
	}
	if len(paths) > 3 {
		pattern := filepath.Join(filepath.Dir(paths[0]), "*"+filepath.Ext(paths[0]))
		if found, _ := filepath.Glob(pattern); slices.Equal(found, paths) {
			paths = []string{pattern}
		}
	}
	words := []string{asked.Flag()}
	for _, path := range paths {
		words = append(words, decision.Quoted(path))
	}
	out = decision.Quoted(out)
	return fmt.Errorf("is Parquet: this writes %s to %s, which is read with --columns clicked=clicked,request=request%s: "+
		"go run -C %s . %s >%s", which, out, where, decision.Quoted(dir), strings.TrimSpace(strings.Join(words, " ")), out)
}

// unzip opens the one file of a zip archive, of which so many bytes were read.
func unzip(file io.Reader, read *counter, begun int64) (io.ReadCloser, error) {
	f, ok := file.(*os.File)
	if !ok {
		return nil, errors.New("an archive cannot be read from a pipe: funzip before it unpacks one")
	}
	size, _ := f.Seek(0, io.SeekEnd) // of no size it is no archive
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return nil, err
	}
	members := slices.DeleteFunc(archive.File, func(m *zip.File) bool {
		return m.FileInfo().IsDir() || strings.HasPrefix(m.Name, "__MACOSX/")
	})
	if slices.ContainsFunc(members, func(m *zip.File) bool { return m.Name == "xl/workbook.xml" }) {
		return nil, errors.New("an Excel workbook: save the sheet of the log as CSV")
	}
	if len(members) != 1 {
		return nil, fmt.Errorf("an archive of %d files: 'unzip FILE' unpacks them; name those of the log", len(members))
	}
	archive.RegisterDecompressor(zip.Deflate, func(packed io.Reader) io.ReadCloser {
		return flate.NewReader(io.TeeReader(packed, read))
	})
	*read += counter(size - begun - int64(members[0].CompressedSize64))
	return members[0].Open()
}

// peek is the bytes that a file begins with, fewer where it is short. An error behind some comes again.
func peek(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(512)
	if errors.Is(err, io.EOF) || len(head) > 0 {
		err = nil
	}
	return head, err
}

// isZstd is whether a file begins with a frame of zstd, or with one to be skipped.
func isZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) ||
		len(head) > 3 && head[0]>>4 == 5 && string(head[1:4]) == "\x2a\x4d\x18"
}
