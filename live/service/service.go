// Package service answers the calls of api/exposure/v1 from an exposure.Keeper: it checks what comes in against
// the limits, before anything is recorded, and says what went wrong. Bad input is InvalidArgument, more than a
// limit allows ResourceExhausted or InvalidArgument with the limit, a user who is served elsewhere Unavailable.
package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/emptypb"

	"dejavu/live/api"
	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/strategies"
)

// A Service answers the calls of exposure.proto.
type Service struct {
	keeper      exposure.Keeper
	layout      layout.Layout
	fingerprint uint64
	limits      config.Limits
}

// New returns the service of a keeper.
func New(keeper exposure.Keeper, l layout.Layout, secret strategies.Secret, limits config.Limits) *Service {
	return &Service{keeper, l, secret.Fingerprint(), limits}
}

// calls are the service's.
func (s *Service) calls() api.Calls {
	return api.Calls{
		Show: s.show, ShowAll: s.showAll, Seen: s.seen, Record: s.record, Forget: s.forget,
		Vector: s.vector, Describe: s.describe,
	}
}

func invalid(format string, args ...any) error {
	return connect.NewError(connect.CodeInvalidArgument, fmt.Errorf(format, args...))
}

// coded is a keeper's error with the code that callers go by.
func coded(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return connect.NewError(connect.CodeDeadlineExceeded, fmt.Errorf("not durable in time; it may be recorded: %w", err))
	case errors.Is(err, context.Canceled):
		return connect.NewError(connect.CodeCanceled, err)
	case errors.Is(err, exposure.ErrElsewhere), errors.Is(err, exposure.ErrUnavailable):
		return connect.NewError(connect.CodeUnavailable, err)
	}
	return connect.NewError(connect.CodeInternal, err)
}

func (s *Service) checkUser(user string) error {
	if user == "" || len(user) > s.limits.UserBytes {
		return invalid("user has %d bytes, want 1 to %d", len(user), s.limits.UserBytes)
	}
	return nil
}

func (s *Service) checkArticles(field string, articles []uint64) error {
	if n := len(articles); n < 1 || n > s.limits.Candidates {
		return invalid("%s has %d articles, want 1 to %d", field, n, s.limits.Candidates)
	}
	return nil
}

func (s *Service) checkShow(r *api.ShowRequest) error {
	if err := cmp.Or(s.checkUser(r.User), s.checkArticles("candidates", r.Candidates)); err != nil {
		return err
	}
	if r.Limit < 1 || int64(r.Limit) > int64(s.limits.Limit) {
		return invalid("limit is %d, want 1 to %d", r.Limit, s.limits.Limit)
	}
	return nil
}

func showOf(r *api.ShowRequest) exposure.Show {
	return exposure.Show{User: r.User, Request: r.RequestId, Candidates: api.IDs(r.Candidates), Limit: int(r.Limit)}
}

func (s *Service) show(ctx context.Context, r *api.ShowRequest) (*api.ShowResponse, error) {
	if err := s.checkShow(r); err != nil {
		return nil, err
	}
	one := [1]exposure.Show{showOf(r)}
	err := s.keeper.ShowAll(ctx, one[:])
	return &api.ShowResponse{Shown: api.Numbers(one[0].Shown)}, coded(err)
}

func (s *Service) showAll(ctx context.Context, r *api.ShowAllRequest) (*api.ShowAllResponse, error) {
	n := len(r.Requests)
	if n < 1 || n > s.limits.Requests {
		return nil, invalid("requests has %d, want 1 to %d", n, s.limits.Requests)
	}
	all, total := make([]exposure.Show, n), 0
	for i, one := range r.Requests {
		if err := s.checkShow(one); err != nil {
			return nil, invalid("requests[%d]: %w", i, errors.Unwrap(err))
		}
		all[i] = showOf(one)
		total += min(len(one.Candidates), int(one.Limit))
	}
	room := make([]strategies.ID, total)
	for i := range all {
		n := min(len(all[i].Candidates), all[i].Limit)
		all[i].Shown, room = room[:0:n], room[n:]
	}
	if err := s.keeper.ShowAll(ctx, all); err != nil {
		return nil, coded(err)
	}
	responses := make([]api.ShowResponse, n)
	answer := &api.ShowAllResponse{Responses: make([]*api.ShowResponse, n)}
	for i := range all {
		responses[i].Shown = api.Numbers(all[i].Shown)
		answer.Responses[i] = &responses[i]
	}
	return answer, nil
}

func (s *Service) seen(ctx context.Context, r *api.SeenRequest) (*api.SeenResponse, error) {
	if err := cmp.Or(s.checkUser(r.User), s.checkArticles("candidates", r.Candidates)); err != nil {
		return nil, err
	}
	seen := make([]bool, len(r.Candidates))
	err := s.keeper.Seen(ctx, r.User, api.IDs(r.Candidates), seen)
	return &api.SeenResponse{Seen: seen}, coded(err)
}

func (s *Service) record(ctx context.Context, r *api.RecordRequest) (*emptypb.Empty, error) {
	if err := cmp.Or(s.checkUser(r.User), s.checkArticles("articles", r.Articles)); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, coded(s.keeper.Record(ctx, r.User, r.RequestId, api.IDs(r.Articles)))
}

func (s *Service) forget(ctx context.Context, r *api.UserRequest) (*emptypb.Empty, error) {
	if err := s.checkUser(r.User); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, coded(s.keeper.Forget(ctx, r.User))
}

func (s *Service) vector(ctx context.Context, r *api.UserRequest) (*api.VectorResponse, error) {
	if err := s.checkUser(r.User); err != nil {
		return nil, err
	}
	history, err := s.keeper.History(ctx, r.User)
	return &api.VectorResponse{History: history, Layout: s.layoutMessage()}, coded(err)
}

func (s *Service) layoutMessage() *api.Layout {
	return &api.Layout{
		Strategy: s.layout.Name, Window: uint32(s.layout.Window), Fpr: s.layout.FPR,
		Digest: s.layout.Digest, SecretFingerprint: s.fingerprint,
	}
}

func (s *Service) describe(context.Context, *emptypb.Empty) (*api.DescribeResponse, error) {
	of, here := s.keeper.Partitions()
	answer := &api.DescribeResponse{
		Layout: s.layoutMessage(), MostCandidates: uint32(s.limits.Candidates), MostLimit: uint32(s.limits.Limit),
		MostRequests: uint32(s.limits.Requests), MostUserBytes: uint32(s.limits.UserBytes),
		Partitions: uint32(of), AllHere: len(here) == of,
	}
	if !answer.AllHere {
		for _, p := range here {
			answer.Here = append(answer.Here, uint32(p))
		}
	}
	return answer, nil
}

// timed is the interceptor that bounds the time of a call and counts it.
func timed(limit time.Duration, m *metrics) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, r connect.AnyRequest) (connect.AnyResponse, error) {
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			began := time.Now()
			answer, err := next(ctx, r)
			m.called(r.Spec().Procedure, err, time.Since(began))
			return answer, err
		}
	}
}
