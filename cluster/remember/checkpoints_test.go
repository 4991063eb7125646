package remember_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// checkpoints are what Flink says of a job's.
type checkpoints struct {
	Counts struct{ Completed, Failed, Restored int }
	Latest struct {
		Restored *struct {
			ID int `json:"id"`
		}
	}
	History []struct {
		ID       int    `json:"id"`
		Status   string `json:"status"`
		Taken    int64  `json:"trigger_timestamp"`
		Bytes    int64  `json:"state_size"`
		Duration int64  `json:"end_to_end_duration"`
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

// report prints what became of the checkpoints, and of those since a time how large they are.
func report(ctx context.Context, rest string, since time.Time) error {
	c, err := checkpointsAt(ctx, rest)
	if err != nil {
		return err
	}
	fmt.Printf("%d checkpoints completed, %d failed or could not begin, %d restored",
		c.Counts.Completed, c.Counts.Failed, c.Counts.Restored)
	if r := c.Latest.Restored; r != nil {
		fmt.Printf(", the last time from checkpoint %d", r.ID)
	}
	fmt.Println()
	var n int
	var first, last, least, most, slowest int64
	for _, one := range c.History { // the newest first
		if one.Status != "COMPLETED" || one.Taken < since.UnixMilli() {
			continue
		}
		if n++; n == 1 {
			last, least, most = one.Bytes, one.Bytes, one.Bytes
		}
		first, least, most, slowest = one.Bytes, min(least, one.Bytes), max(most, one.Bytes), max(slowest, one.Duration)
	}
	if n > 0 {
		fmt.Printf("after the last answer %d checkpoints in %.0f s: "+
			"%d bytes the first, %d the last, %d to %d; the slowest took %d ms\n",
			n, time.Since(since).Seconds(), first, last, least, most, slowest)
	}
	return nil
}
