package real

import (
	"io"
	"net"
	"sync/atomic"
)

// newRelay listens at an address that leads to another, and counts what passes, both ways.
func newRelay(to string, passed *atomic.Int64) (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return // closed
			}
			onward, err := net.Dial("tcp", to)
			if err != nil {
				from.Close()
				continue
			}
			go pass(from, onward, passed)
			go pass(onward, from, passed)
		}
	}()
	return l, nil
}

// pass counts bytes before it hands them on, so that whoever has an answer has it counted.
func pass(from, to net.Conn, passed *atomic.Int64) {
	defer to.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		passed.Add(int64(n))
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			_, _ = io.Copy(io.Discard, from)
			return
		}
	}
}
