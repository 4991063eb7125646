package measure

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// restarts takes the time of starts: after a kill that left the log alone, after graceful stops, whose snapshots hold
// all, and after a kill that left snapshots and the log since the older ones. No more of the log is there at once than
// of two times atOnce articles a user.
func (o *Compare) restarts(ctx context.Context, out io.Writer) error {
	c, end, err := o.begin(true, out)
	if err != nil {
		return err
	}
	defer end()
	// Snapshots are written where a stop asks for them, and are given their time.
	_, k, err := c.service(ctx, "snapshots: {every: 720h}\nlimits: {stop_time: 1h}\n")
	if err != nil {
		return err
	}
	for n := 0; n < o.Articles; n += atOnce {
		if err := c.record(ctx, k, n, min(atOnce, o.Articles-n), 1); err != nil {
			return err
		}
		if n == 0 {
			if err := c.again(ctx, k.server, syscall.SIGKILL); err != nil {
				return err
			}
		}
		if err := c.again(ctx, k.server, syscall.SIGTERM); err != nil {
			return err
		}
	}
	if err := c.record(ctx, k, o.Articles, perPage, 10); err != nil {
		return err
	}
	return c.again(ctx, k.server, syscall.SIGKILL)
}

// again ends the service and starts it, and prints how long both took, and what the service says of it.
func (c *comparison) again(ctx context.Context, p *Process, by os.Signal) error {
	began := time.Now()
	if err := p.signal(by, time.Hour); err != nil {
		return err
	}
	ended, size := time.Since(began), int64(0)
	segments, _ := filepath.Glob(filepath.Join(c.dir, p.name, "log", "*"))
	for _, name := range segments {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	began = time.Now()
	if err := p.Start(); err != nil {
		return err
	}
	if err := p.awaitReady(ctx); err != nil {
		return err
	}
	took, said := time.Since(began), p.tail()
	said, _, _ = strings.Cut(said[strings.LastIndex(said, "count="):], "\n")
	fmt.Fprintf(c.out, "%d users, %v in %.1f s, log %.1f MB; ready in %.1f s: %s\n", c.Users, by, ended.Seconds(),
		float64(size)/1e6, took.Seconds(), said)
	return nil
}
