package remember

import (
	"reflect"
	"testing"

	"dejavu/strategies"
)

func TestCodersRoundTrip(t *testing.T) {
	for _, r := range []Request{
		{},
		{ID: "7/1"},
		{ID: "é", Shown: []strategies.ID{1, 1 << 63}},
		{Candidates: []strategies.ID{0}},
	} {
		if got, err := decodeRequest(encodeRequest(r)); err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%+v comes back as %+v, %v", r, got, err)
		}
		a := Answer{ID: r.ID, Fresh: r.Shown}
		if got, err := decodeAnswer(encodeAnswer(a)); err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("%+v comes back as %+v, %v", a, got, err)
		}
	}
}

// Every part that is missing is missed, and so is none that is too many.
func TestCodersRefuseWhatIsCut(t *testing.T) {
	whole := encodeRequest(Request{ID: "id", Shown: []strategies.ID{1}, Candidates: []strategies.ID{2, 3}})
	for n := range whole {
		if r, err := decodeRequest(whole[:n]); err == nil {
			t.Errorf("%d bytes of %d are %+v", n, len(whole), r)
		}
	}
	if r, err := decodeRequest(append(whole, 0)); err == nil {
		t.Errorf("a byte too many is %+v", r)
	}
}

// Bytes from anywhere are refused or are a request, and never take more memory than
// they have.
func FuzzDecodeRequest(f *testing.F) {
	f.Add(encodeRequest(Request{ID: "id", Shown: []strategies.ID{1}, Candidates: []strategies.ID{2, 3}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRequest(b)
		if err != nil {
			return
		}
		again := encodeRequest(r)
		if got, err := decodeRequest(again); err != nil || !reflect.DeepEqual(got, r) || len(again) > len(b) {
			t.Errorf("%x is %+v, and comes back as %+v, %v", b, r, got, err)
		}
	})
}
