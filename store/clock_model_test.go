package store

import "math"

// A ClockModel is what a store believes of the time, in whole numbers and with all odd readings kept.
type ClockModel struct {
	Skew, Skewed int64

	begun         bool
	believed, sum int64
	odd           []int64
}

// Read is what a reading counts as.
func (m *ClockModel) Read(now int64) int64 {
	switch {
	case m.Skew == 0:
		return now
	case !m.begun || now-m.believed <= m.Skew && m.believed-now <= m.Skew:
		m.believed, m.begun = max(m.believed, now), true
		m.odd, m.sum = nil, min(m.sum+1, 8)
		return now
	}
	m.Skewed++
	m.sum = max(m.sum-1, 0)
	if n := len(m.odd); n > 0 && (now < m.odd[n-1]-m.Skew || now > m.believed != (m.odd[0] > m.believed)) {
		m.odd = nil
	}
	if m.odd = append(m.odd, now); len(m.odd) == 8 {
		m.believed, m.odd, m.sum = m.odd[0], nil, 0
	}
	return max(0, m.believed-m.Skew, min(now, m.believed+m.Skew, math.MaxUint32))
}

// All is until when all users may have expired.
func (m *ClockModel) All(now int64) int64 {
	read := m.Read(now)
	if m.Skew == 0 {
		return read
	}
	if m.sum < 4 {
		return 0
	}
	return min(read, m.believed)
}

// Bound is the latest that a last Record is believed to have been at.
func (m *ClockModel) Bound(last int64) int64 {
	if m.Skew == 0 || m.sum < 4 {
		return last
	}
	return min(last, m.believed+m.Skew)
}
