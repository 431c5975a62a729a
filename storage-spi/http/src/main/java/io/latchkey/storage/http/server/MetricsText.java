package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.cache.CacheStats;
import java.util.Locale;

/** The figures of the server and its cache in Prometheus' text format, version 0.0.4. */
final class MetricsText {
  static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final StringBuilder text = new StringBuilder(2048);

  private MetricsText() {}

  static byte[] of(Backend backend, ServerCounters counters) {
    MetricsText metrics = new MetricsText();
    CacheStats stats = backend.stats();
    metrics.counter("latchkey_cache_hits_total", "Look-ups that the cache answered.");
    metrics.value("", stats.hitCount());
    metrics.counter("latchkey_cache_misses_total", "Look-ups that loaded or waited for a load.");
    metrics.value("", stats.missCount());
    metrics.counter("latchkey_cache_loads_total", "Calls of the storage that load.");
    metrics.value("{outcome=\"success\"}", stats.loadSuccessCount());
    metrics.value("{outcome=\"failure\"}", stats.loadFailureCount());
    metrics.value("{outcome=\"abandoned\"}", stats.loadAbandonedCount());
    metrics.counter("latchkey_cache_load_seconds_total", "Time spent in calls of the storage.");
    metrics.seconds(stats.totalLoadTimeNanos());
    metrics.counter("latchkey_cache_evictions_total", "Objects that left to keep the bound.");
    metrics.value("", stats.evictionCount());
    metrics.gauge("latchkey_cache_entries", "Objects in the cache.");
    metrics.value("", backend.size());
    metrics.counter("latchkey_http_responses_total", "Responses by the class of their status.");
    for (int hundreds = 2; hundreds <= 5; hundreds++) {
      metrics.value("{status=\"" + hundreds + "xx\"}", counters.responses(hundreds));
    }
    metrics.counter("latchkey_http_connections_total", "Connections accepted.");
    metrics.value("", counters.accepted.sum());
    metrics.counter(
        "latchkey_http_connections_refused_total", "Connections refused, because of too many.");
    metrics.value("", counters.refused.sum());
    metrics.counter(
        "latchkey_http_connections_cut_off_total", "Connections of clients that were too slow.");
    metrics.value("", counters.cutOff.sum());
    metrics.gauge("latchkey_http_connections", "Connections that are open.");
    metrics.value("", counters.connections.get());
    metrics.gauge("latchkey_http_change_streams", "Clients that read the feed.");
    metrics.value("", counters.streams.get());
    metrics.gauge("latchkey_http_body_bytes", "Bytes of request bodies in memory.");
    metrics.value("", counters.bodyBytes.get());
    return metrics.text.toString().getBytes(UTF_8);
  }

  private String name = "";

  private void counter(String metric, String help) {
    begin(metric, help, "counter");
  }

  private void gauge(String metric, String help) {
    begin(metric, help, "gauge");
  }

  private void begin(String metric, String help, String type) {
    name = metric;
    text.append("# HELP ").append(metric).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(metric).append(' ').append(type).append('\n');
  }

  private void value(String labels, long value) {
    text.append(name).append(labels).append(' ').append(value).append('\n');
  }

  private void seconds(long nanos) {
    text.append(name)
        .append(' ')
        .append(String.format(Locale.ROOT, "%.6f", nanos / 1e9))
        .append('\n');
  }
}
