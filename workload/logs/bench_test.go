package logs_test

import (
	"bytes"
	"testing"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

// Reading from memory, with one worker: MB/s of what the log is unpacked, and the time of an event. The
// cutter and the consumer take a second processor where there is one.
func BenchmarkRead(b *testing.B) {
	for _, format := range logs.Formats() {
		for _, suffix := range []string{"", ".gz", ".zst"} {
			if suffix != "" && format != logs.KuaiRand {
				continue
			}
			b.Run(string(format)+suffix, func(b *testing.B) {
				plain := text(format, some(format, 50000))
				packed := logtest.Pack(suffix, plain)
				b.SetBytes(int64(len(plain)))
				b.ReportAllocs()
				events := int64(0)
				for b.Loop() {
					l, err := logs.New(bytes.NewReader(packed), "log", logs.Options{Format: format, Columns: columns, Workers: 1})
					strategytest.Must(b, err)
					for range l.Requests() {
					}
					strategytest.Must(b, l.Close())
					events += l.Counts().Events
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			})
		}
	}
}
