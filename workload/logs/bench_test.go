package logs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"dejavu/strategies"
	"dejavu/workload/logs"
)

// Reading from memory, with one worker: MB/s of what the log is unpacked, and
// the time of an event. The cutter and the consumer take a second processor
// where there is one.
func BenchmarkRead(b *testing.B) {
	for _, format := range logs.Formats() {
		for _, suffix := range []string{"", ".gz", ".zst"} {
			if suffix != "" && format != logs.KuaiRand {
				continue
			}
			b.Run(string(format)+suffix, func(b *testing.B) {
				var plain, packed bytes.Buffer
				write(b, &plain, format, logs.WriterOptions{Columns: columns}, some(format, 50000))
				w, err := logs.Pack(&packed, suffix)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := w.Write(plain.Bytes()); err != nil {
					b.Fatal(err)
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(plain.Len()))
				b.ReportAllocs()
				events := int64(0)
				for b.Loop() {
					l, err := logs.New(bytes.NewReader(packed.Bytes()), "log", logs.Options{Format: format, Columns: columns, Workers: 1})
					if err != nil {
						b.Fatal(err)
					}
					for range l.Requests() {
					}
					if err := l.Close(); err != nil {
						b.Fatal(err)
					}
					events += l.Counts().Events
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			})
		}
	}
}

// What encoding/json would take for the lines of OTTO and Adressa: why there is
// a scanner.
func BenchmarkEncodingJSON(b *testing.B) {
	type event struct {
		AID  json.Number `json:"aid"`
		TS   int64       `json:"ts"`
		Type string      `json:"type"`
	}
	type line struct {
		Session json.Number `json:"session"`
		Events  []event     `json:"events"`
		UserID  string      `json:"userId"`
		ID      string      `json:"id"`
		Time    int64       `json:"time"`
	}
	for _, format := range []logs.Format{logs.OTTO, logs.Adressa} {
		b.Run(string(format), func(b *testing.B) {
			var plain bytes.Buffer
			write(b, &plain, format, logs.WriterOptions{}, some(format, 20000))
			b.SetBytes(int64(plain.Len()))
			events := 0
			for b.Loop() {
				for l := range bytes.Lines(plain.Bytes()) {
					var v line
					if err := json.Unmarshal(l, &v); err != nil {
						b.Fatal(err)
					}
					events += max(1, len(v.Events))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}

// Numbering events whose users are a million, beside a Go map.
func BenchmarkUsers(b *testing.B) {
	const users = 1 << 20
	keys := make([]uint64, users)
	for i := range keys {
		keys[i] = uint64(strategies.XXHashString(fmt.Sprint("U", i)))
	}
	b.Run("Users", func(b *testing.B) {
		u, err := logs.NewUsers(users)
		if err != nil {
			b.Fatal(err)
		}
		i := uint32(0)
		for b.Loop() {
			u.Number(keys[i*0x9e3779b1&(users-1)])
			i++
		}
	})
	b.Run("map", func(b *testing.B) {
		u := map[uint64]uint32{}
		i := uint32(0)
		for b.Loop() {
			key := keys[i*0x9e3779b1&(users-1)]
			if _, ok := u[key]; !ok {
				u[key] = uint32(len(u))
			}
			i++
		}
	})
}
