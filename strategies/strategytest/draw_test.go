package strategytest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"dejavu/bloom"
	"dejavu/internal/garbage"
	"dejavu/internal/kernel"
)

// drawList returns a draw of lists that make changes to.
func drawList(change func(f *faulty)) func(r Random, number int) (Subject, string) {
	return func(r Random, number int) (Subject, string) {
		f := faulty{list: newList(r.Log(1, 500))}
		change(&f)
		return Subject{Strategy: f, Theory: f, Forgets: func(read, age int) bool { return age > f.Window(read) }}, "a list"
	}
}

func TestDrawPassesTheExactSet(t *testing.T) {
	DrawSubjects(t, "95782cf6528fd714", drawList(func(*faulty) {}))
}

// Faults that show for some parameters only, each of a kind that a fixed list of configurations has missed.
func TestDrawFindsFaults(t *testing.T) {
	forgets := func(when func(l *list, h []byte, c []id) bool) func(f *faulty) {
		return func(f *faulty) {
			f.seen = func(l *list, h []byte, c []id, s []bool) {
				if l.Seen(h, c, s); when(l, h, c) {
					clear(s)
				}
			}
		}
	}
	var scratch struct{ words []uint64 }
	var last int
	for fault, change := range map[string]func(f *faulty){
		"a count in one byte": forgets(func(l *list, h []byte, _ []id) bool { return len(h)/8 > 255 && len(h)/8%256 < 200 }),
		"one kernel, of some windows": forgets(func(l *list, h []byte, _ []id) bool {
			return kernel.Now() == slices.Max(kernel.Kinds()) && l.window%16 == 0
		}),
		"more than 4096 candidates": forgets(func(_ *list, _ []byte, c []id) bool { return len(c) > 4096 }),
		"state that strategies share": forgets(func(l *list, _ []byte, _ []id) bool {
			was := last
			last = l.window
			return was > 2*l.window
		}),
		"memory that a call left": forgets(func(l *list, _ []byte, _ []id) bool {
			if scratch.words == nil {
				scratch.words = make([]uint64, 1)
			}
			return garbage.Fill(&scratch).words[0] != 0
		}),
		"a window one too long": func(f *faulty) {
			f.window = func(l *list, read int) int { return min(max(read, 0), l.window+l.window/256) }
		},
		"a history that Validate rejects": func(f *faulty) {
			f.validate = func(l *list, h []byte) error {
				if len(h) == 8*256 {
					return errors.New("too long")
				}
				return nil
			}
		},
		"growth in place": func(f *faulty) {
			f.record = func(l *list, h []byte, shown []id) []byte {
				room := cap(h) > len(h)
				if h = l.Record(h, shown); room && len(h) > 8*100 {
					h[0] ^= 1
				}
				return h
			}
		},
		"a rate of one in 200 for large windows": func(f *faulty) {
			f.seen = func(l *list, h []byte, c []id, s []bool) {
				l.Seen(h, c, s)
				for i := range c {
					s[i] = s[i] || len(h) > 0 && l.window > 64 && uint64(c[i])%200 == 0
				}
			}
		},
	} {
		t.Run(fault, func(t *testing.T) {
			f := &failed{TB: t}
			DrawSubjects(f, "", drawList(change))
			if f.times == 0 {
				t.Error("no draw finds it")
			}
		})
	}
	f := &failed{TB: t}
	DrawSubjects(f, "0123456789abcdef", drawList(func(*faulty) {}))
	Equal(t, f.times, 1, "with another digest, failures")
}

// What is sized short of its window, or above its rate, or not drawn in every field, is found.
func TestDrawFindsWrongConfigurations(t *testing.T) {
	if testing.Short() {
		t.Skip("a short run draws too few for these faults")
	}
	type config struct{ Window, Unused int }
	make := func(short int, fpr float64) Draws[config, faulty] {
		return Draws[config, faulty]{
			New: func(c config) (faulty, error) {
				if c.Window < 1 {
					return faulty{}, errors.New("refused")
				}
				return faulty{list: newList(min(c.Window, 300)), fpr: constant(fpr), window: func(_ *list, read int) int {
					return min(max(read, 0), c.Window)
				}}, nil
			},
			Sized: func(window int, _ float64) (config, error) {
				if window > 200 {
					return config{}, errors.New("refused")
				}
				return config{window - short*(window/128), window}, nil
			},
			Config: func(r Random) config { return config{r.Log(1, 200), r.IntN(9)} },
		}
	}
	fails := func(d Draws[config, faulty]) bool {
		f := &failed{TB: t}
		Draw(f, d)
		return f.times > 0
	}
	sound, unused, refused, large := make(0, 0), make(0, 0), make(0, 0), make(0, 0)
	unused.Config = func(r Random) config { return config{r.Log(1, 200), 7} }
	unused.Sized = nil
	refused.Config = func(r Random) config { return config{r.IntN(100) - 90, r.IntN(9)} }
	large.Sized = func(window int, fpr float64) (config, error) {
		if window > 16_000 {
			return config{window, window}, nil // in theory
		}
		return sound.Sized(window, fpr)
	}
	for name, d := range map[string]Draws[config, faulty]{
		"forgetful if large": large,
		"short":              make(1, 0), "a high rate": make(0, 0.3), "one value": unused, "refused": refused,
	} {
		Equal(t, fails(d), true, "%s: fails", name)
	}
	Equal(t, fails(sound), false, "what is right fails")
}

// A Random draws what it says, on every processor.
func TestRandom(t *testing.T) {
	r := Random{generator(1, 2)}
	counts := map[bool]int{}
	for range 10_000 {
		n, rate := r.Log(3, 1000), r.Rate()
		Between(t, n, 3, 1000, "Log")
		Between(t, rate, 1e-6, 0.2, "Rate")
		counts[n < 60]++
		g := Geometry[bloom.Geometry](r, 64)
		Between(t, g.Bits, 64, 1<<17, "bits")
		Must(t, g.Validate())
	}
	Near(t, float64(counts[true]), 6500, 300, "numbers below 60")
	Equal(t, r.Log(7, 7), 7, "of one number")
}

// A rate that is off is measured again, twice at most, with more users. Another error is final.
func TestRepeated(t *testing.T) {
	for want, run := range map[string]func(Subject, effort) error{
		"": func(_ Subject, e effort) error {
			if users := e.times(10); users < 2560 {
				return offTheory("too few")
			}
			return nil
		},
		"off at try 2": func(_ Subject, e effort) error { return offTheory(fmt.Sprint("off at try ", e.tries)) },
		"a race":       func(_ Subject, e effort) error { return map[bool]error{true: errors.New("a race")}[e.tries == 0] },
	} {
		ErrorSays(t, want, check{"", run}.repeated(Subject{}, effort{}), want)
	}
}
