package api

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
)

// Most requests are plain: one message of protobuf by POST, not compressed. Both sides handle those here, as Connect
// takes much longer for them. What is not plain goes on to Connect, and so does what is wrong: errors are its own.

const protobuf = "application/proto"

// received is a body that was received as a whole.
type received struct {
	bytes.Reader
	all []byte
}

// Close implements io.Closer.
func (*received) Close() error { return nil }

// Received is a request's body, of which Handler needs the whole to answer a plain request. It is written over.
func Received(all []byte) io.ReadCloser { return &received{*bytes.NewReader(all), all} }

var errorWriter = connect.NewErrorWriter()

// plainly answers a plain request by a call, which takes so long at most. It is false for any other, which it leaves
// as it was.
func plainly[Q, A any](w http.ResponseWriter, r *http.Request, call Call[Q, A], most time.Duration) bool {
	body, whole := r.Body.(*received)
	version := cmp.Or(r.Header.Get("Connect-Protocol-Version"), "1")
	ms, err := strconv.ParseUint(cmp.Or(r.Header.Get("Connect-Timeout-Ms"), "2147483647"), 10, 31)
	if !whole || r.Method != http.MethodPost || r.Header.Get("Content-Type") != protobuf ||
		r.Header.Get("Content-Encoding") != "" || version != "1" || err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(r.Context(), min(most, time.Duration(ms)*time.Millisecond))
	defer cancel()
	question := new(Q)
	if ctx.Err() != nil || proto.Unmarshal(body.all, any(question).(proto.Message)) != nil {
		return false
	}
	var message []byte
	answer, err := call(ctx, question)
	if err == nil {
		message, err = proto.MarshalOptions{}.MarshalAppend(body.all[:0], any(answer).(proto.Message))
	}
	if err != nil {
		_ = errorWriter.Write(w, r, err)
		return true
	}
	w.Header()["Content-Type"] = r.Header["Content-Type"]
	_, _ = w.Write(message) // a caller who has gone needs none
	return true
}

// A target is where the calls of a client go, and what all of them have in their header.
type target struct {
	by     doer
	url    url.URL
	header http.Header
	grpc   bool
}

// A doer is a connect.HTTPClient.
type doer func(*http.Request) (*http.Response, error)

// Do implements connect.HTTPClient.
func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// ask makes plain requests, or gRPC's. What comes in place of an answer is given to Connect's client.
func ask[Q, A any](to target, name string) Call[Q, A] {
	to.url.Path += name
	if to.grpc {
		return connected[Q, A](to, connect.WithGRPC())
	}
	return func(ctx context.Context, question *Q) (*A, error) {
		answer := new(A)
		got, err := to.post(ctx, any(question).(proto.Message), any(answer).(proto.Message))
		if got == nil && err == nil {
			return answer, nil
		}
		given := target{by: func(*http.Request) (*http.Response, error) { return got, err }, url: to.url}
		return connected[Q, A](given)(ctx, question)
	}
}

// connected is a call by Connect's client.
func connected[Q, A any](to target, options ...connect.ClientOption) Call[Q, A] {
	options = append(options, connect.WithAcceptCompression("gzip", nil, nil))
	client := connect.NewClient[Q, A](to.by, to.url.String(), options...)
	return func(ctx context.Context, question *Q) (*A, error) {
		r := connect.NewRequest(question)
		maps.Copy(r.Header(), to.header)
		answer, err := client.CallUnary(ctx, r)
		if err != nil {
			return nil, err
		}
		return answer.Msg, nil
	}
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// post makes a request with a message, and reads the answer's. It returns what came in place of one.
func (to *target) post(ctx context.Context, question, answer proto.Message) (*http.Response, error) {
	message, err := proto.Marshal(question)
	if err != nil {
		return nil, err
	}
	// A reader of bytes in memory, as net/http knows it, is sent together with the header, in one packet.
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "", bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	r.URL, r.Host = &to.url, to.url.Host
	r.Header["Content-Type"], r.Header["Connect-Protocol-Version"] = []string{protobuf}, []string{"1"}
	maps.Copy(r.Header, to.header)
	if deadline, ok := ctx.Deadline(); ok {
		ms := min(max(time.Until(deadline).Milliseconds(), 1), 1e10-1) // of at most ten digits
		r.Header["Connect-Timeout-Ms"] = []string{strconv.FormatInt(ms, 10)}
	}
	got, err := to.by(r)
	if err != nil || got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != protobuf ||
		got.Header.Get("Content-Encoding") != "" {
		return got, err
	}
	body := buffers.Get().(*bytes.Buffer)
	body.Reset()
	_, err = body.ReadFrom(got.Body)
	if err == nil && proto.Unmarshal(body.Bytes(), answer) == nil {
		got.Body.Close()
		buffers.Put(body)
		return nil, nil
	}
	got.Body = io.NopCloser(io.MultiReader(body, got.Body)) // which ends again as it did
	return got, nil
}
