#include "reader-stats.h"

#include "clock.h"
#include "fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t usual_stall_ns = 2 * NS_PER_S;

void stats_init(struct sink_stats *stats, size_t count) {
  memset(stats, 0, sizeof *stats);
  stats->count = count;
  stats->readers = allocate(count * sizeof *stats->readers);
  stats->stalled_after_ns = usual_stall_ns;
  stats->latency_capacity = 1 << 16;
  stats->latencies_us = allocate(stats->latency_capacity * sizeof *stats->latencies_us);
  stats->window_started_ns = clock_ns();
}

void stats_expect_segments(struct sink_stats *stats, uint64_t length_ns) {
  if (2 * length_ns > stats->stalled_after_ns) stats->stalled_after_ns = 2 * length_ns;
}

void stats_bytes(struct sink_stats *stats, size_t reader, size_t bytes, uint64_t at_ns) {
  struct reader_stats *of = &stats->readers[reader];
  of->bytes += bytes;
  if (of->first_media_ns != 0) return;
  of->first_media_ns = at_ns;
  stats->with_media++;
  if (stats->with_media == stats->count) stats_print_ready(stats);
}

static void add_latency(struct sink_stats *stats, uint64_t latency_us) {
  if (stats->latency_count == stats->latency_capacity) {
    stats->latency_capacity *= 2;
    stats->latencies_us = realloc(stats->latencies_us, stats->latency_capacity * sizeof *stats->latencies_us);
    if (stats->latencies_us == NULL) fail("out of memory");
  }
  stats->latencies_us[stats->latency_count++] = latency_us > UINT32_MAX ? UINT32_MAX : (uint32_t)latency_us;
}

/* A TS frame is complete when the next one begins; an RTMP message has arrived completely. */
static void note_picture(struct sink_stats *stats, struct reader_stats *of, const struct marker_stamp *stamp, uint64_t at_ns) {
  if (of->first_picture_ns != 0) return;
  const int is_key = stamp->frame % MARKER_GOP_FRAMES == 0;
  if (!(stats->has_whole_frames && is_key) && !of->has_keyframe) {
    of->has_keyframe = is_key;
    return;
  }
  of->first_picture_ns = at_ns;
  stats->with_picture++;
  if (stats->with_picture == stats->count) stats_print_picture(stats);
}

void stats_frame(struct sink_stats *stats, size_t reader, const struct marker_stamp *stamp, uint64_t at_ns) {
  struct reader_stats *of = &stats->readers[reader];
  if (of->last_frame_ns != 0 && at_ns > of->last_frame_ns + of->longest_gap_ns) of->longest_gap_ns = at_ns - of->last_frame_ns;
  of->last_frame_ns = at_ns;
  if (of->has_frame && stamp->frame <= of->last_frame) {
    of->repeated++;
    return;
  }
  if (of->has_frame) of->lost += stamp->frame - of->last_frame - 1;
  note_picture(stats, of, stamp, at_ns);
  of->has_frame = 1;
  of->last_frame = stamp->frame;
  of->frames++;
  if (!of->is_untimed) add_latency(stats, at_ns > stamp->sent_ns ? (at_ns - stamp->sent_ns) / 1000 : 0);
}

void stats_begin_window(struct sink_stats *stats) {
  stats->window_started_ns = clock_ns();
  stats->latency_count = 0;
  for (size_t i = 0; i < stats->count; i++) {
    struct reader_stats *of = &stats->readers[i];
    of->bytes = of->frames = of->lost = of->repeated = of->faults = of->longest_gap_ns = 0;
  }
}

static int compare_u32(const void *a, const void *b) {
  const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return left < right ? -1 : left > right;
}

static double percentile_ms(const uint32_t *sorted, size_t count, double share) {
  if (count == 0) return 0;
  const size_t at = (size_t)(share * (double)(count - 1) + 0.5);
  return sorted[at] / 1000.0;
}

void stats_print_ready(const struct sink_stats *stats) {
  double slowest = 0, sum = 0;
  for (size_t i = 0; i < stats->count; i++) {
    const struct reader_stats *of = &stats->readers[i];
    const double ms = (double)(of->first_media_ns - of->opened_ns) / NS_PER_MS;
    sum += ms;
    if (ms > slowest) slowest = ms;
  }
  printf("{\"event\":\"ready\",\"readers\":%zu,\"firstMediaMs\":{\"mean\":%.1f,\"max\":%.1f}}\n", stats->count,
         sum / (double)stats->count, slowest);
  fflush(stdout);
}

void stats_print_picture(const struct sink_stats *stats) {
  uint64_t last = 0;
  double slowest = 0;
  for (size_t i = 0; i < stats->count; i++) {
    const struct reader_stats *of = &stats->readers[i];
    const double ms = (double)(of->first_picture_ns - of->opened_ns) / NS_PER_MS;
    if (ms > slowest) slowest = ms;
    if (of->first_picture_ns > last) last = of->first_picture_ns;
  }
  printf("{\"event\":\"picture\",\"maxMs\":%.1f,\"atMs\":%.1f}\n", slowest, (double)last / NS_PER_MS);
  fflush(stdout);
}

void stats_print_report(struct sink_stats *stats) {
  const uint64_t now = clock_ns();
  const double seconds = (double)(now - stats->window_started_ns) / NS_PER_S;
  uint64_t bytes = 0, frames = 0, lost = 0, repeated = 0, faults = 0, gap = 0, fewest = UINT64_MAX;
  size_t closed = 0, stalled = 0;
  for (size_t i = 0; i < stats->count; i++) {
    const struct reader_stats *of = &stats->readers[i];
    bytes += of->bytes;
    frames += of->frames;
    lost += of->lost;
    repeated += of->repeated;
    faults += of->faults;
    if (of->frames < fewest) fewest = of->frames;
    if (of->longest_gap_ns > gap) gap = of->longest_gap_ns;
    closed += of->is_closed ? 1 : 0;
    stalled += now > of->last_frame_ns + stats->stalled_after_ns ? 1 : 0;
  }
  qsort(stats->latencies_us, stats->latency_count, sizeof *stats->latencies_us, compare_u32);
  const uint32_t *sorted = stats->latencies_us;
  const size_t n = stats->latency_count;
  printf("{\"event\":\"report\",\"readers\":%zu,\"withMedia\":%zu,\"closed\":%zu,\"stalled\":%zu,\"seconds\":%.3f,"
         "\"bytes\":%llu,\"frames\":%llu,\"fewestFrames\":%llu,\"lost\":%llu,\"repeated\":%llu,\"faults\":%llu,"
         "\"longestGapMs\":%.1f,\"latencyMs\":{\"p50\":%.3f,\"p90\":%.3f,\"p99\":%.3f,\"max\":%.3f}}\n",
         stats->count, stats->with_media, closed, stalled, seconds, (unsigned long long)bytes, (unsigned long long)frames,
         (unsigned long long)fewest, (unsigned long long)lost, (unsigned long long)repeated, (unsigned long long)faults,
         (double)gap / NS_PER_MS, percentile_ms(sorted, n, 0.5), percentile_ms(sorted, n, 0.9),
         percentile_ms(sorted, n, 0.99), percentile_ms(sorted, n, 1));
  fflush(stdout);
}
