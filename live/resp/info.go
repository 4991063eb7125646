package resp

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"dejavu/internal/sysinfo"
)

// version is the version of Redis that clients are told: the newest that connects as this server does.
const version = "7.0.0"

// started is the time, nearly, of the process's start.
var started = time.Now()

// doInfo answers what Redis's tools read of INFO. Commandstats is only sent on request.
func (c *session) doInfo(_ string, args [][]byte) error {
	of, here := c.Keeper.Partitions()
	ready, loading := "ready", 0
	if err := c.Keeper.Ready(); err != nil {
		ready, loading = err.Error(), 1
	}
	statistics, total := []any{}, 0
	for _, name := range slices.Sorted(maps.Keys(c.calls)) {
		n, failed, took := c.calls[name].Totals()
		if total += n; n > 0 {
			us := took.Microseconds()
			statistics = append(statistics, "cmdstat_"+strings.ToLower(name), fmt.Sprintf(
				"calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=0,failed_calls=%d", n, us, float64(us)/float64(n), failed))
		}
	}
	keyspace, users := []any{}, c.Keeper.Users()
	if users > 0 {
		keyspace = []any{"db0", fmt.Sprintf("keys=%d,expires=%d,avg_ttl=0", users, users)}
	}
	resident := sysinfo.Resident()
	own, system := sysinfo.ProcessorTime()
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }
	asked := strings.ToLower(" " + string(bytes.Join(args, []byte(" "))) + " ")
	wants := func(section string) bool { // Redis's own words for all of them are default, all and everything
		some := strings.Contains(asked, " "+strings.ToLower(section)+" ")
		all := strings.Contains(asked, " all ") || strings.Contains(asked, " everything ")
		return some || all || (len(args) == 0 || strings.Contains(asked, " default ")) && section != "Commandstats"
	}
	var text strings.Builder
	for _, s := range []struct {
		name  string
		lines []any // a name and a value for each
	}{
		{"Server", []any{
			"server_name", "dejavu", "redis_version", version, "redis_mode", "standalone",
			"arch_bits", strconv.IntSize, "process_id", os.Getpid(), "uptime_in_seconds", int(time.Since(started).Seconds()),
			"ready", ready, "partitions", of, "partitions_here", len(here), "strategy", c.Layout.Name,
		}},
		{"Clients", []any{
			"connected_clients", c.Traffic.Connections(), "blocked_clients", 0,
			"maxclients", c.Traffic.Limits.Connections,
		}},
		{"Memory", []any{"used_memory", resident, "used_memory_rss", resident, "maxmemory", 0}},
		{"Persistence", []any{"loading", loading, "aof_enabled", 1}},
		{"Stats", []any{"total_connections_received", c.last.Load(), "total_commands_processed", total}},
		{"CPU", []any{"used_cpu_sys", seconds(system), "used_cpu_user", seconds(own)}},
		{"Replication", []any{"role", "master", "connected_slaves", 0}},
		{"Commandstats", statistics},
		{"Cluster", []any{"cluster_enabled", 0}},
		{"Keyspace", keyspace},
	} {
		if !wants(s.name) {
			continue
		}
		fmt.Fprintf(&text, "# %s\r\n", s.name)
		for pair := range slices.Chunk(s.lines, 2) {
			fmt.Fprintf(&text, "%v:%v\r\n", pair...)
		}
		text.WriteString("\r\n")
	}
	c.texts(text.String())
	return nil
}
