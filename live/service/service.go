// Package service answers HTTP calls from an exposure.Keeper. Bad input is InvalidArgument. Exceeding a limit is
// ResourceExhausted, or InvalidArgument with the limit. A user served elsewhere is Unavailable.
package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"dejavu/live/api"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/traffic"
	"dejavu/strategies"
)

// A Service answers the calls of exposure.proto from a keeper.
type Service struct {
	_       struct{}
	Keeper  exposure.Keeper
	Layout  layout.Layout
	Secret  strategies.Secret
	Traffic *traffic.Traffic
	Warning func() error // what /readyz says if it is ready; nil: nothing
}

// calls are the service's, as api.ExposuresHandler has them.
type calls struct{ *Service }

// coded adds to an error the code for callers.
func coded(err error) error {
	switch {
	case err == nil:
		return nil
	case traffic.IsInvalid(err):
		return connect.NewError(connect.CodeInvalidArgument, err)
	case errors.Is(err, context.DeadlineExceeded):
		return connect.NewError(connect.CodeDeadlineExceeded, fmt.Errorf("not durable in time; it may be recorded: %w", err))
	case errors.Is(err, context.Canceled):
		return connect.NewError(connect.CodeCanceled, err)
	case errors.Is(err, exposure.ErrElsewhere), errors.Is(err, exposure.ErrUnavailable),
		errors.Is(err, exposure.ErrRefused):
		return connect.NewError(connect.CodeUnavailable, err)
	}
	return connect.NewError(connect.CodeInternal, err)
}

// asks reports what is wrong with what is asked of a user.
func (s *Service) asks(user, field string, articles []uint64) error {
	return cmp.Or(s.Traffic.CheckUser(user), s.Traffic.CheckArticles(field, len(articles)))
}

func (s *Service) checkShow(r *api.ShowRequest) error {
	limit := s.Traffic.CheckLimit(int64(r.Limit))
	if r.Limit == 0 { // which a message does not tell from none
		limit = traffic.Invalid("limit is missing or 0, want 1 to %d", s.Traffic.Limits.Limit)
	}
	return cmp.Or(s.asks(r.User, "candidates", r.Candidates), limit)
}

func showOf(r *api.ShowRequest) exposure.Show {
	return exposure.Show{User: r.User, Request: r.RequestId, Candidates: api.IDs(r.Candidates), Limit: int(r.Limit)}
}

func (s calls) Show(ctx context.Context, r *api.ShowRequest) (*api.ShowResponse, error) {
	if err := s.checkShow(r); err != nil {
		return nil, coded(err)
	}
	one := []exposure.Show{showOf(r)}
	err := s.Keeper.ShowAll(ctx, one)
	return &api.ShowResponse{Shown: api.Numbers(one[0].Shown)}, coded(err)
}

func (s calls) ShowAll(ctx context.Context, r *api.ShowAllRequest) (*api.ShowAllResponse, error) {
	n := len(r.Requests)
	if err := s.Traffic.CheckRequests(n); err != nil {
		return nil, coded(err)
	}
	all := make([]exposure.Show, n)
	for i, one := range r.Requests {
		if err := s.checkShow(one); err != nil {
			return nil, coded(fmt.Errorf("requests[%d]: %w", i, err))
		}
		all[i] = showOf(one)
	}
	if err := s.Keeper.ShowAll(ctx, all); err != nil {
		return nil, coded(err)
	}
	answer := &api.ShowAllResponse{Responses: make([]*api.ShowResponse, n)}
	for i := range all {
		answer.Responses[i] = &api.ShowResponse{Shown: api.Numbers(all[i].Shown)}
	}
	return answer, nil
}

func (s calls) Seen(ctx context.Context, r *api.SeenRequest) (*api.SeenResponse, error) {
	if err := s.asks(r.User, "candidates", r.Candidates); err != nil {
		return nil, coded(err)
	}
	seen := make([]bool, len(r.Candidates))
	err := s.Keeper.Seen(ctx, r.User, api.IDs(r.Candidates), seen)
	return &api.SeenResponse{Seen: seen}, coded(err)
}

func (s calls) Record(ctx context.Context, r *api.RecordRequest) (*emptypb.Empty, error) {
	if err := s.asks(r.User, "articles", r.Articles); err != nil {
		return nil, coded(err)
	}
	return &emptypb.Empty{}, coded(s.Keeper.Record(ctx, r.User, r.RequestId, api.IDs(r.Articles)))
}

func (s calls) Forget(ctx context.Context, r *api.UserRequest) (*emptypb.Empty, error) {
	if err := s.Traffic.CheckUser(r.User); err != nil {
		return nil, coded(err)
	}
	return &emptypb.Empty{}, coded(s.Keeper.Forget(ctx, r.User))
}

func (s calls) Vector(ctx context.Context, r *api.UserRequest) (*api.VectorResponse, error) {
	if err := s.Traffic.CheckUser(r.User); err != nil {
		return nil, coded(err)
	}
	history, err := s.Keeper.History(ctx, r.User)
	return &api.VectorResponse{History: history, Layout: s.layoutMessage()}, coded(err)
}

func (s *Service) layoutMessage() *api.Layout {
	return &api.Layout{
		Strategy: s.Layout.Name, Window: uint32(s.Layout.Window), Fpr: s.Layout.FPR,
		Digest: s.Layout.Digest, SecretFingerprint: s.Secret.Fingerprint(),
	}
}

func (s calls) Describe(context.Context, *emptypb.Empty) (*api.DescribeResponse, error) {
	of, here := s.Keeper.Partitions()
	limits := &s.Traffic.Limits
	answer := &api.DescribeResponse{
		Layout: s.layoutMessage(), MostCandidates: uint32(limits.Candidates), MostLimit: uint32(limits.Limit),
		MostRequests: uint32(limits.Requests), MostUserBytes: uint32(limits.UserBytes),
		Partitions: uint32(of), AllHere: len(here) == of,
	}
	if !answer.AllHere {
		for _, p := range here {
			answer.Here = append(answer.Here, uint32(p))
		}
	}
	return answer, nil
}

// strictJSON refuses unknown fields, which Connect passes over: misspelt candidates would be an empty list.
type strictJSON struct{}

// Name returns the codec's name in content types. Marshal writes a message, the only type it gets.
func (strictJSON) Name() string                  { return "json" }
func (strictJSON) Marshal(m any) ([]byte, error) { return protojson.Marshal(m.(proto.Message)) }

// Unmarshal reads a message.
func (strictJSON) Unmarshal(b []byte, m any) error {
	if len(b) == 0 {
		return errors.New("an empty body, want a JSON object")
	}
	return protojson.Unmarshal(b, m.(proto.Message))
}
