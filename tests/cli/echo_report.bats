# What iobench echo tells: the table, the blocks of a load and a server alone, JSON, and exports.

load common

ECHO=(echo --quick --ramp=500us --connections=8)

# serve ARGUMENT...: a server of ours at the socket "served", until the test ends.
serve() {
    "$IOBENCH" echo --quiet --listen=unix:served "$@" >server.txt 2>server.err 3>&- &
    SERVER=$!
    BACKGROUND+=($SERVER)
    eventually 5 test -S served
}
stop_server() {
    local code=0
    kill -TERM $SERVER
    wait $SERVER || code=$?
    BACKGROUND=()
    equal "$code" 0 'status of the server'
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

@test "at 80 columns there are requests, latency, the processor time of both ends, and memory" {
    at_terminal 80 "$IOBENCH echo --quick --rounds=20 --mode=epoll,thread --progress=never --color=never"
    local heading
    for heading in requests/s p50 p99 CPU/req load/req memory; do
        grep -qE "^  mode .* $heading( |\$)" "$OUT" || fail "no column $heading"
    done
    equal "$(awk '/^  / && length > 80' "$OUT")" '' 'rows that are too wide'
}

@test "at 200 columns there are the middle 80 %, the maximum and the comparison as well" {
    at_terminal 200 "$IOBENCH echo --quick --rounds=20 --mode=epoll,thread --progress=never --color=never"
    grep -qE '^  mode .*requests/s +middle 80 % .* max .*against (epoll|thread) \(95 %\)' "$OUT"
}

@test "the first line says what was asked of the servers, and no sender is spoken of" {
    iobench "${ECHO[@]}" --rounds=2 --mode=epoll
    prints '8 connections over tcp on this machine, 64 B raw, a load of our own · 2 trials in'
    refute grep -qi sender "$OUT"
    iobench "${ECHO[@]}" --rounds=2 --mode=epoll --rate=1000 --transport=unix --protocol=http
    prints '8 connections over unix on this machine, 64 B http, 1000 requests/s given, a load of our own'
}

@test "no figure is NaN or infinite, in no report" {
    json "${ECHO[@]}" --rounds=2 --mode=epoll,thread --export=e.csv --export=e.md --export=e.prom
    refute grep -qi -e '\bnan\b' -e '\binf\b' "$OUT" e.csv e.md e.prom
    iobench "${ECHO[@]}" --rounds=1 --requests=1 --mode=epoll --verbose
    refute grep -qi -e '\bnan\b' -e '\binf\b' -e 9223372036854775 "$OUT"
}

@test "moments and quantiles of the JSON are those of its buckets" {
    json "${ECHO[@]}" --rounds=3 --mode=epoll
    "$PYTHON" - "$OUT" <<'PY'
import json, math, sys
for result in json.load(open(sys.argv[1]))["results"]:
    h = result["latency"]
    n = sum(count for _, count in h["buckets"])
    assert n == h["calls"], (n, h["calls"])
    def width(low):
        return 1 if low < 2048 else 1 << (low.bit_length() - 11)
    middles = [(low + width(low) // 2, count) for low, count in h["buckets"]]
    mean = sum(m * c for m, c in middles) / n
    stddev = math.sqrt(sum(c * (m - mean) ** 2 for m, c in middles) / n)
    within = sum(c for m, c in middles if abs(m - mean) <= stddev) / n
    assert math.isclose(h["mean_ns"], mean, rel_tol=1e-9), (h["mean_ns"], mean)
    assert math.isclose(h["stddev_ns"], stddev, rel_tol=1e-6), (h["stddev_ns"], stddev)
    assert math.isclose(h["within_stddev_ratio"], within, abs_tol=1e-9)
    known = [h[k] for k in ("p50_ns", "p75_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns")
             if h[k] is not None]
    assert known == sorted(known), known
PY
}

@test "the JSON has what both ends did: requests, threads and connections" {
    json "${ECHO[@]}" --rounds=2 --mode=epoll --threads=2 --client-threads=2
    holds '[.results[].trials[] | .requests > 0 and (.thread_cpu_ns | length) == 2 and
        (.bytes_by_thread | length) == 2 and .peer.connections_asked == 8 and
        .peer.connections_established == 8 and (.peer.thread_cpu_ns | length) == 2 and
        .connect_errors == {} and .peer.statuses == {} and .most_open == 8] | all'
    holds '[.results[].summary | .requests_per_s, .cpu_ns_per_request, .peer_cpu_ns_per_request,
        .anon_bytes_per_connection | .n == 2 and .median > 0] | all'
    holds '.results[0] | .service_latency == null and .send_lateness == null and .latency.calls > 0'
}

@test "a rate brings two more distributions, of the same requests" {
    json "${ECHO[@]}" --rounds=2 --mode=epoll --rate=2000
    holds '.results[0] | .latency.calls == .service_latency.calls and
        .send_lateness.calls >= .latency.calls'
}

@test "intervals count requests, and add up to the trial" {
    json "${ECHO[@]}" --mode=epoll --duration=300ms --interval=100ms
    holds '[.results[0].intervals[].requests] | length >= 2 and all(. > 0)'
    holds '.results[0] | ([.intervals[].requests] | add) ==
        ([.trials[] | select(.warmup | not)] | last | .requests)'
    grep -qE '^iobench: 0\.000 \.\. 0\.1[0-9]* s: [0-9]+ requests/s, ' "$ERR"
}

@test "a load alone prints a block as wrk does" {
    serve --mode=epoll --protocol=http
    iobench echo --connect=unix:served --protocol=http --connections=4 --requests=1000
    status_is 0
    local line
    for line in 'requests/s ' 'transfer/s ' 'latency +mean .*, stdev .*, max .*, .* % within one stdev' \
        '  p50 ' '  p75 ' '  p90 ' '  p99 ' '  p99.9 ' '  p99.99 +too few requests' 'CPU .* a request' \
        'connections +4 asked for, 4 made'; do
        grep -qE "^  $line" "$OUT" || fail "no line '$line'"
    done
    grep -qE '^  requests +4000 in ' "$OUT"
    stop_server
}

@test "a server alone says what became of its connections, and what it cost" {
    serve --mode=epoll
    iobench echo --connect=unix:served --connections=5 --requests=100
    status_is 0
    stop_server
    local line
    for line in 'served +for .* sent back' 'accepted +5 connections, .* a second' 'most at once +5$' \
        'refused +0$' 'broken ' 'bad requests +0$' 'CPU ' 'memory .* at most'; do
        grep -qE "^  $line" server.txt || fail "no line '$line'" "$(cat server.txt)"
    done
}

@test "HTTP errors are counted by status, and are errors of the run" {
    mkdir empty
    (cd empty && exec "$PYTHON" -u -c '
import http.server
class Refuse(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(404)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"no")
    def log_message(self, *of): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refuse)
print(server.server_port)
server.serve_forever()') >port 2>/dev/null 3>&- &
    BACKGROUND+=($!)
    eventually 10 test -s port
    json echo --connect=127.0.0.1:"$(cat port)" --protocol=http --connections=2 --requests=20
    status_is 3
    holds '.results[0].trials[-1] | .statuses["404"] == .status_errors and .status_errors >= 40'
    holds '[.errors[] | select(.code == "requests_failed")] | length == 1' .errors
    grep -qE '^iobench: load: ([0-9]+) requests failed: \1 HTTP 404$' "$ERR"
}

@test "a server that is not there is an error, and soon" {
    SECONDS=0
    json echo --connect=unix:missing
    status_is 3
    [ $SECONDS -lt 5 ] || fail "it took $SECONDS s"
    holds '.errors | length > 0'
}

@test ".hgrm can be read back: it rises, and its last lines are those of the JSON" {
    json "${ECHO[@]}" --rounds=2 --mode=epoll,thread --export=all.hgrm
    "$PYTHON" - all.hgrm "$OUT" <<'PY'
import json, re, sys
blocks, lines = {}, open(sys.argv[1]).read().splitlines()
assert lines[0] == "# Latency in milliseconds.", lines[0]
name = None
for line in lines[1:]:
    if line.startswith("# "):
        name = line[2:]
        blocks[name] = {"rows": [], "foot": {}}
    elif line.startswith("#["):
        blocks[name]["foot"].update(re.findall(r"(\w[\w ]*?) *= *([\d.]+)", line))
    elif line.split() and line.split()[0] != "Value":
        blocks[name]["rows"].append([float(word) for word in line.split()])
results = json.load(open(sys.argv[2]))["results"]
assert list(blocks) == [r["id"] for r in results], list(blocks)
for result in results:
    h, block = result["latency"], blocks[result["id"]]
    rows = block["rows"]
    assert len(rows) > 5 and all(len(row) == 4 for row in rows)
    for before, after in zip(rows, rows[1:]):
        assert before[0] <= after[0] and before[1] < after[1] and before[2] <= after[2], (before, after)
    for value, share, count, inverse in rows:
        assert count >= share * h["calls"] - 1e-6, (value, share, count)
        if share < 1:
            assert abs(inverse - 1 / (1 - share)) < 0.01 * inverse
    assert rows[0][1] == 0 and rows[-1][1] == 1 and rows[-1][2] == h["calls"]
    assert round(rows[-1][0] * 1e6) == h["max_ns"]
    assert abs(float(block["foot"]["Mean"]) * 1e6 - h["mean_ns"]) < 1
    assert abs(float(block["foot"]["StdDeviation"]) * 1e6 - h["stddev_ns"]) < 1
    assert int(block["foot"]["Total count"]) == h["calls"]
PY
}

@test "CSV, Markdown and OpenMetrics have requests" {
    iobench "${ECHO[@]}" --rounds=2 --mode=epoll,thread --export=e.csv --export=e.md --export=e.prom
    head -n 1 e.csv | grep -qE ',requests(,|$)'
    grep -q '^| mode | requests/s |' e.md
    grep -q '^iobench_requests_per_second{id="echo/epoll' e.prom
}

@test "words of wrk, ab and sockperf get a hint" {
    local word hint
    while read -r word hint; do
        iobench echo --"$word"=1
        status_is 2
        says "unknown option '--$word': use $hint"
    done <<'WORDS'
url --connect=HOST:PORT
concurrency --connections=LIST
msg-size --message-size=LIST
keepalive --protocol=http
mps --rate=LIST
WORDS
}
