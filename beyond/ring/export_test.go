package ring

import "dejavu/strategies"

// Holds looks at one slot after the other.
func Holds(r *Ring, history []byte, id strategies.ID) bool {
	for slot := range r.load(history).held() {
		if r.get(history, slot) == r.fingerprint(id) {
			return true
		}
	}
	return false
}
