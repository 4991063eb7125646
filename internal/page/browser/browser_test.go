package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dejavu/strategies/strategytest"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// chromium returns the browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}
	if named := os.Getenv("CHROMIUM"); named != "" {
		names = []string{named}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("no browser: none of %s is in PATH; install one (on Debian apt-get install chromium) or name one in CHROMIUM",
		strings.Join(names, ", "))
	return ""
}

// written is the page that all tests open.
var written = sync.OnceValues(func() (path string, err error) {
	if path := os.Getenv("REPORT"); path != "" {
		return filepath.Abs(path)
	}
	out, err := os.MkdirTemp("", "report-*")
	if err != nil {
		return "", err
	}
	made = out
	cmd := exec.Command("go", "run", "./experiments", "plot", "--out", out)
	cmd.Dir = filepath.Join("..", "..", "..")
	if err := os.CopyFS(out, os.DirFS(filepath.Join(cmd.Dir, "results", "reference", "10000000"))); err != nil {
		return "", err
	}
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd, err, said)
	}
	return filepath.Join(out, "report.html"), nil
})

// made is the directory where the page was made, or "".
var made string

func TestMain(m *testing.M) {
	code := m.Run()
	if made != "" {
		os.RemoveAll(made)
	}
	os.Exit(code)
}

// A tab shows the page.
type tab struct {
	*testing.T
	ctx context.Context

	mu     sync.Mutex
	loaded []string // addresses
}

// A view is the window and its user's preferences.
type view struct {
	width, height int64
	scale         float64
	dark          bool
}

var (
	desk  = view{1280, 900, 1, false}
	phone = view{390, 844, 2, false}
)

// open opens the page from disk. Whatever the browser complains of is a fault at the end of the test.
func open(t *testing.T, v view) *tab {
	t.Helper()
	browser := chromium(t)
	path := strategytest.Value(written())
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox,
		chromedp.DisableGPU)
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", browser, err)
	}
	limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: limited}
	listening, stop := context.WithCancel(limited)
	messages := chromedp.Console(listening)
	strategytest.Must(t, chromedp.Listen(limited, b.heard))
	scheme := "light"
	if v.dark {
		scheme = "dark"
	}
	strategytest.Must(t, strategytest.ErrorOf(chromedp.Call(limited, network.Enable, network.EnableParams{})))
	preferred := []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}
	strategytest.Must(t, strategytest.ErrorOf(chromedp.Call(limited, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: preferred})))
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
	err := chromedp.Do(limited,
		chromedp.EmulateViewport(v.width, v.height, chromedp.EmulateScale(v.scale)),
		chromedp.Navigate(address),
	)
	strategytest.Must(t, err)
	strategytest.Value(chromedp.Run(limited, chromedp.Poll[bool](`"ready" in document.documentElement.dataset`)))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, loaded := range b.loaded {
			strategytest.Equal(t, loaded, address, "the page loads")
		}
		if len(b.loaded) == 0 {
			t.Error("not even the page itself was seen to be loaded: requests are not watched")
		}
		time.AfterFunc(200*time.Millisecond, stop) // what is said has arrived by then
		for m, err := range messages {
			if err != nil {
				break
			}
			t.Errorf("the browser says: %v", m)
		}
	})
	return b
}

// heard notes what the page loads.
func (b *tab) heard(event any) {
	if e, ok := event.(*network.EventRequestWillBeSent); ok {
		b.mu.Lock()
		b.loaded = append(b.loaded, e.Request.URL)
		b.mu.Unlock()
	}
}

// eval returns the value of an expression in the page.
func eval[V any](b *tab, expression string) V {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[V](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// shoot leaves a picture, where pictures are wanted.
func (b *tab) shoot(name string) {
	b.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	picture := strategytest.Value(chromedp.Run(b.ctx, chromedp.CaptureScreenshot()))
	strategytest.Must(b.T, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
}
