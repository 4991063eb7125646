package remember_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// checkpoints are what Flink says of a job's.
type checkpoints struct {
	Counts  struct{ Completed, Failed, Restored int }
	History []struct {
		Status string `json:"status"`
		Taken  int64  `json:"trigger_timestamp"`
		Bytes  int64  `json:"state_size"`
	}
}

// get asks Flink's REST interface.
func get(ctx context.Context, url string, to any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(to)
}

// checkpointsAt asks for the checkpoints of the job that runs; none where there is no job.
func checkpointsAt(ctx context.Context, rest string) (c checkpoints, err error) {
	var jobs struct {
		Jobs []struct{ ID, Status string }
	}
	if err := get(ctx, rest+"/jobs", &jobs); err != nil {
		return c, err
	}
	for _, job := range jobs.Jobs {
		if job.Status == "RUNNING" {
			return c, get(ctx, rest+"/jobs/"+job.ID+"/checkpoints", &c)
		}
	}
	return c, nil
}

// report prints what became of the checkpoints, and how large those since a time were.
func report(ctx context.Context, rest string, since time.Time) error {
	c, err := checkpointsAt(ctx, rest)
	if err != nil {
		return err
	}
	fmt.Printf("%d checkpoints completed, %d failed or could not begin, %d restored; bytes since the last answer:",
		c.Counts.Completed, c.Counts.Failed, c.Counts.Restored)
	for _, one := range slices.Backward(c.History) { // the newest is the first
		if one.Status == "COMPLETED" && one.Taken >= since.UnixMilli() {
			fmt.Printf(" %d", one.Bytes)
		}
	}
	fmt.Println()
	return nil
}
