package ring

import "dejavu/strategies"

// Holds searches slot by slot.
func Holds(r *Ring, history []byte, id strategies.ID) bool {
	for slot := range r.cycle(history).Held() {
		if r.get(history, slot) == r.fingerprint(id) {
			return true
		}
	}
	return false
}
