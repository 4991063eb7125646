package service

import (
	"path"
	"sync"
	"time"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics counts calls.
type metrics struct {
	calls *prometheus.CounterVec
	times *prometheus.HistogramVec
	known sync.Map // outcome -> pair
}

type outcome struct {
	procedure string
	code      connect.Code
}

type pair struct {
	calls prometheus.Counter
	times prometheus.Observer
}

// NewRegistry returns a registry with the process's own metrics.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

func newMetrics(r prometheus.Registerer, atOnce func() float64) *metrics {
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dejavu_calls_total", Help: "Calls answered, by call and by code; ok is none.",
		}, []string{"call", "code"}),
		times: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dejavu_call_seconds", Help: "Time from a decoded request to its answer.",
			Buckets: prometheus.ExponentialBuckets(25e-6, 2, 18), // to 3 s
		}, []string{"call"}),
	}
	r.MustRegister(m.calls, m.times, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dejavu_requests_at_once", Help: "Requests being received or answered.",
	}, atOnce))
	return m
}

// called counts a call.
func (m *metrics) called(procedure string, err error, took time.Duration) {
	o := outcome{procedure: procedure}
	if err != nil {
		o.code = connect.CodeOf(err)
	}
	p, ok := m.known.Load(o)
	if !ok {
		code := "ok"
		if err != nil {
			code = o.code.String()
		}
		call := path.Base(procedure)
		p, _ = m.known.LoadOrStore(o, pair{m.calls.WithLabelValues(call, code), m.times.WithLabelValues(call)})
	}
	p.(pair).calls.Inc()
	p.(pair).times.Observe(took.Seconds())
}
