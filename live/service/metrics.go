package service

import (
	"path"
	"time"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics counts calls.
type metrics struct {
	calls *prometheus.CounterVec
	times *prometheus.HistogramVec
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
	call, code := path.Base(procedure), "ok"
	if err != nil {
		code = connect.CodeOf(err).String()
	}
	m.calls.WithLabelValues(call, code).Inc()
	m.times.WithLabelValues(call).Observe(took.Seconds())
}
