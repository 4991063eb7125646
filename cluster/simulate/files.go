package simulate

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"dejavu/results"
)

// pack is the files of a directory as bytes.
func pack(dir string) ([]byte, error) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	if err := errors.Join(w.AddFS(os.DirFS(dir)), w.Close()); err != nil {
		return nil, fmt.Errorf("packing %s: %w", dir, err)
	}
	return packed.Bytes(), nil
}

// unpack makes such bytes files of a directory again, beside those that are
// there.
func unpack(dir string, packed []byte) error {
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err == nil {
		err = os.CopyFS(dir, r)
	}
	if err != nil {
		return fmt.Errorf("unpacking a shard of %d bytes: %w", len(packed), err)
	}
	return nil
}

// publish copies the files of a run to where they are wanted. The manifest is
// the last: a run that has one is whole.
func publish(ctx context.Context, dir, out string) error {
	if _, err := os.Stat(filepath.Join(dir, results.ManifestName)); err != nil {
		return fmt.Errorf("merged, but there is no run: %w", err)
	}
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && name != results.ManifestName {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range append(names, results.ManifestName) {
		if err := copyOut(ctx, dir, out, name); err != nil {
			return fmt.Errorf("writing %s to %s: %w", name, out, err)
		}
	}
	return nil
}

// copyOut copies one file, whole or not at all.
func copyOut(ctx context.Context, dir, out, name string) error {
	in, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer in.Close()
	if !isRemote(out) {
		to := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return results.Replace(to, func(w io.Writer) error {
			_, err := io.Copy(w, in)
			return err
		})
	}
	to, err := filesystem.New(ctx, out)
	if err != nil {
		return err
	}
	defer to.Close()
	w, err := to.OpenWrite(ctx, out+"/"+path.Clean(name)) // an object appears when it is closed
	if err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return errors.Join(err, w.Close())
}
