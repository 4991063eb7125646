package logs

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"dejavu/workload/logs/format"
)

// A source is a file of a log, opened when its turn comes.
type source struct {
	name string
	open func(context.Context) (io.ReadCloser, error)
}

// pipe opens what may have to be waited for, until the context ends.
func pipe(open func() (io.ReadCloser, error)) func(context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) {
		in, out := io.Pipe()
		context.AfterFunc(ctx, func() { in.CloseWithError(context.Cause(ctx)) })
		go func() {
			file, err := open()
			if err == nil {
				_, err = io.Copy(out, file)
				file.Close()
			}
			out.CloseWithError(err)
		}()
		return in, nil
	}
}

// named are the files that the patterns name, their bytes in all, 0 where that is not
// known, and whether one cannot be read twice.
func named(o Options, patterns []string) (full Options, sources []source, total int64, once bool, err error) {
	if o, err = format.Options(o); err != nil {
		return o, nil, 0, false, err
	}
	files, err := Files(patterns...)
	if err != nil {
		return o, nil, 0, false, err
	}
	for _, f := range files {
		name, open := f.Name, func() (io.ReadCloser, error) { return os.Open(f.Name) }
		if f.Name == "-" {
			name, open = "standard input", func() (io.ReadCloser, error) { return io.NopCloser(os.Stdin), nil }
		}
		s := source{name, func(context.Context) (io.ReadCloser, error) { return open() }}
		if f.Bytes < 0 {
			once = true
			s.open = pipe(open)
		}
		sources = append(sources, s)
		total += max(f.Bytes, 0)
	}
	if once {
		total = 0
	}
	return o, sources, total, once, nil
}

// A File is one of a log.
type File struct {
	Name  string // "-" is the standard input
	Bytes int64  // its length as it is packed; -1 where that is not known, as of a pipe
}

// Files lists the files that Open opens for these patterns.
func Files(patterns ...string) ([]File, error) {
	names, err := expand(patterns)
	if err != nil {
		return nil, err
	}
	files := make([]File, len(names))
	for i, name := range names {
		files[i] = File{name, -1}
		if name == "-" {
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("logs: %w", err)
		case info.IsDir():
			return nil, fmt.Errorf("logs: %s is a directory: name its files, as in %s", name, filepath.Join(name, "*.csv"))
		case info.Mode().IsRegular():
			files[i].Bytes = info.Size()
		}
	}
	return files, nil
}

// expand lists the files that the patterns name. A file whose very name looks like a pattern is that file.
func expand(patterns []string) (names []string, err error) {
	for _, pattern := range patterns {
		found := []string{pattern}
		if _, err := os.Lstat(pattern); errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(pattern, `*?[`) {
			if found, err = filepath.Glob(pattern); err != nil {
				return nil, fmt.Errorf("logs: pattern %q: %w", pattern, err)
			}
			if len(found) == 0 {
				return nil, fmt.Errorf("logs: no file matches %q", pattern)
			}
		}
		for _, name := range found {
			if name != "-" {
				name = filepath.Clean(name)
			}
			if slices.Contains(names, name) {
				return nil, fmt.Errorf("logs: %s is named twice", name)
			}
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("logs: no file named")
	}
	return names, nil
}

// A counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// maxWindow bounds what zstd and xz may ask for: as much as zstd grants without being told to, twice what xz -9 writes.
const maxWindow = 128 << 20

// A bounded reads what xz has packed, and ends it before a block that asks for a larger dictionary.
type bounded struct {
	r    io.Reader
	last []byte // what was read last, from a multiple of four bytes on
}

func (b *bounded) Read(p []byte) (n int, err error) {
	n, err = b.r.Read(p)
	b.last = append(b.last, p[:n]...)
	for h := b.last; len(h) >= 8; h = h[4:] { // where a header may begin, with its length, and end with its checksum
		end := 4 * int(h[0])
		if end+4 > len(h) || h[1]&0x3f != 0 || crc32.ChecksumIEEE(h[:end]) != binary.LittleEndian.Uint32(h[end:]) {
			continue
		}
		filter := bytes.LastIndex(h[:end], []byte("\x21\x01")) // LZMA2, the one that package xz has
		if size, _ := lzma.DecodeDictCap(h[filter+2]); size > maxWindow {
			return 0, fmt.Errorf("xz asks for %d MB of memory, want up to %d: 'xz -dc FILE' unpacks it", size>>20, maxWindow>>20)
		}
	}
	b.last = b.last[:copy(b.last, b.last[max(0, len(b.last)-1024)&^3:])] // the longest header has 1024 bytes
	return n, err
}

// Unpack returns what a file holds, unpacked if its first bytes say that it is packed, and whether they do. A zip
// archive must be an *os.File. The caller calls done, which does not close the file.
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
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		from, err = unzip(file, read, int64(in.Buffered()))
	case bytes.HasPrefix(head, []byte("BZh")):
		from = io.NopCloser(bzip2.NewReader(in))
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		if from, err = gzip.NewReader(in); err != nil {
			err = fmt.Errorf("gzip: %w", err)
		}
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		var streams *xz.Reader
		streams, err = xz.NewReader(bufio.NewReaderSize(&bounded{r: in}, 1<<16))
		from = io.NopCloser(streams)
	case len(head) > 3 && !errors.Is(new(zstd.Header).Decode(head), zstd.ErrMagicMismatch):
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

//go:embed foreign.txt
var foreignText string

// foreign is how files begin that are not read, and what helps with each.
var foreign = sync.OnceValues(func() (begins []*regexp.Regexp, advice []string) {
	for line := range strings.Lines(foreignText) {
		if begin, help, isOne := strings.Cut(strings.TrimSpace(line), "\t"); isOne {
			begins, advice = append(begins, regexp.MustCompile(begin)), append(advice, help)
		}
	}
	return begins, advice
})

// lines returns a reader of the lines of a file, unpacked, without the mark that some programs set before UTF-8, and
// of a JSON array the elements as lines. It counts what was read of the file. The caller calls done.
func lines(file io.Reader, read *counter, s source, asked Options) (plain io.Reader, done func(), err error) {
	in, done, isPacked, err := unpack(file, read)
	if err != nil {
		return nil, nil, err
	}
	head, err := peek(in) // what is packed may begin with a mark, too
	switch text := string(head); {
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		err = fmt.Errorf("zstd asks for more than %d MB of memory: 'zstd -dc --long=31 FILE' unpacks it", maxWindow>>20)
	case err != nil && isPacked:
		err = fmt.Errorf("cannot be unpacked: %w", err)
	case err != nil:
	case strings.HasPrefix(text, "PAR1"):
		err = fmt.Errorf("is Parquet: duckdb -csv -c \"SELECT user_id, item_id, time FROM '%s'\" writes it as a table "+
			"(with the log's columns); piped into this command, '-' in place of the file reads that", s.name)
	case asked.Comma == "":
		begins, advice := foreign()
		if i := slices.IndexFunc(begins, func(e *regexp.Regexp) bool { return e.Match(head) }); i >= 0 {
			err = errors.New(advice[i])
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
