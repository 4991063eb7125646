package workload

import "math"

// InSession reports whether the present refresh follows another of its session.
func (v *Visitor) InSession() bool { return v.within }

// Delays are how long each thing that happens to a user takes to be known elsewhere.
type Delays struct{ key uint64 }

// Delays returns the user's.
func (d Daily) Delays(user int) Delays { return Delays{newDraws(d.seed, user, forDelays).key} }

// Exponential is the step-th delay, of the given mean, at most 2^32, in whole units. Steps may be in any
// order.
func (d Delays) Exponential(step int, mean uint64) uint64 {
	own := draws{key: mix(d.key + uint64(step)*golden)}
	return own.exponential(mean)
}

// Overtaken is the chance that a session's next refresh comes less than so many whole seconds after the one
// before, and so before what takes that long is known. Pauses are a least one and an exponential, cut to
// whole seconds, so that it is
//
//	1 - exp(-(delay-LeastPause)/PauseMean)
//
// from LeastPause on, and 0 before; pauses that are all alike make it 0 or 1.
func (c DailyConfig) Overtaken(delay float64) float64 {
	beyond := delay - float64(c.LeastPause)
	switch {
	case beyond <= 0:
		return 0
	case c.PauseMean == 0:
		return 1
	}
	return -math.Expm1(-beyond / float64(c.PauseMean))
}

// OvertakenExponential is Overtaken where the delay is an exponential of the given mean, above 0, in seconds:
// longer than a pause of g seconds with probability exp(-g/mean). Whole seconds beyond the least pause are
// each as likely as the one before times q = exp(-1/PauseMean), so that it is
//
//	exp(-LeastPause/mean) (1-q) / (1 - q exp(-1/mean))
func (c DailyConfig) OvertakenExponential(mean float64) float64 {
	p := math.Exp(-float64(c.LeastPause) / mean)
	if c.PauseMean == 0 {
		return p
	}
	step := 1 / float64(c.PauseMean)
	return p * math.Expm1(-step) / math.Expm1(-step-1/mean)
}
