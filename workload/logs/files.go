package logs

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"

	"dejavu/workload/logs/decision"
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

// maxWindow bounds what a zstd file may ask for: as much as the zstd program grants without being told to.
const maxWindow = 128 << 20

// foreign lists beginnings of files that hold no lines.
var foreign = []struct{ magic, what string }{
	{"\xfd7zXZ\x00", "packed with xz: 'xz -dk FILE' unpacks it, and what 'xz -dc FILE' writes is read as the file -"},
	{"\xff\xfe", "UTF-16: write it as UTF-8"},
	{"\xfe\xff", "UTF-16: write it as UTF-8"},
}

// unpack returns a reader of what a file holds, unpacked if its first bytes say that it is packed, without the mark
// that some programs set before UTF-8, and of a JSON array the elements as lines. It counts what was read of the file.
// The caller calls done.
func unpack(file io.Reader, read *counter, name string, asked Columns) (plain io.Reader, done func(), err error) {
	in := bufio.NewReaderSize(io.TeeReader(file, read), 1<<16)
	head, err := peek(in)
	if err != nil {
		return nil, nil, err
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
	case isZstd(head):
		var frames *zstd.Decoder
		frames, err = zstd.NewReader(in,
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		from = frames.IOReadCloser()
	}
	if err != nil {
		return nil, nil, err
	}
	done = func() {}
	if from != nil {
		in, done = bufio.NewReaderSize(from, 1<<16), func() { from.Close() }
	}
	if head, err = peek(in); err == nil { // what is packed may begin with a mark, too
		for _, f := range foreign {
			if bytes.HasPrefix(head, []byte(f.magic)) {
				err = fmt.Errorf("is %s", f.what)
			}
		}
		if bytes.HasPrefix(head, []byte("PAR1")) {
			err = converted(name, asked)
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

// converted says which command writes the lines of a Parquet file, in any directory: the module beside this one has it.
func converted(name string, asked Columns) error {
	_, source, _, _ := runtime.Caller(0)
	dir, where := filepath.Join(source, "../../../parquet"), ""
	if _, err := os.Stat(dir); err != nil { // another machine, or a build with -trimpath
		dir, where = "DEJAVU/parquet", ", DEJAVU being the directory of its source"
	}
	path, _ := filepath.Abs(name)
	if _, err := os.Stat(path); err != nil { // a pipe
		path = "FILE"
	}
	out := decision.Quoted(filepath.Base(path) + ".csv")
	from := strings.TrimSpace(asked.Flag() + " " + decision.Quoted(path))
	return fmt.Errorf("is Parquet: this writes its lines to %s, which is read with --columns clicked=clicked,"+
		"request=request%s: go run -C %s . %s >%s", out, where, decision.Quoted(dir), from, out)
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
	if len(members) != 1 {
		return nil, fmt.Errorf("an archive of %d files: 'unzip FILE' unpacks them; name those of the log", len(members))
	}
	archive.RegisterDecompressor(zip.Deflate, func(packed io.Reader) io.ReadCloser {
		return flate.NewReader(io.TeeReader(packed, read))
	})
	*read += counter(size - begun - int64(members[0].CompressedSize64))
	return members[0].Open()
}

// peek is the bytes that a file begins with, fewer where it is short.
func peek(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(8)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head, err
}

// isZstd is whether a file begins with a frame of zstd, or with one to be skipped.
func isZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) ||
		len(head) > 3 && head[0]>>4 == 5 && string(head[1:4]) == "\x2a\x4d\x18"
}
