package ring

import "dejavu/strategies"

// Holds looks at one slot after the other.
func Holds(r *Ring, history []byte, id strategies.ID) bool {
	for slot := range r.cycle(history).Held() {
		if r.get(history, slot) == r.fingerprint(id) {
			return true
		}
	}
	return false
}
