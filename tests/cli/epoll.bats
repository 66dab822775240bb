# The figures of iobench epoll: messages of both ends, calls, intervals, what is refused.

load common

SMALL=(--quick --rounds=2 --trial-time=500us --ramp=100us)

CASES='[.results[] | [.id, .status, .reason]]'
COUNTS='[.results[] | [.id, .status, .reason, (.trials[] | [.passes, .messages, .reads, .ramp_bytes, .peer.messages])]]'

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# As in usage.bats.
refused() {
    iobench "$@" </dev/null
    status_is 2
    prints_nothing
    [[ $(tail -n 1 "$ERR") == "iobench: see 'iobench epoll --help'" ]] || fail 'it does not say where help is'
}

# Nothing is lost: what was written was read, before the clock or after it, or is unread, and no
# handle has more of that than it may. Of one thread: what the ramp of several reads too much is
# missing behind it.
counts_hold() {
    holds 'all(.results[].trials[]; .bytes == 8 * .messages and .peer.bytes == 8 * .peer.messages
               and .peer.bytes == .bytes + .ramp_bytes + .lost_bytes and .reads <= .messages)' "$COUNTS"
    holds 'all(.results[]; .params as $p | $p.outstanding == 0
               or all(.trials[]; .lost_bytes <= 8 * $p.outstanding * $p.handles))' "$COUNTS"
    holds 'all(.results[]; .params.threads as $threads | all(.trials[];
               if $threads == 1 then .messages >= 1000 * .passes
               else .messages + .ramp_bytes / 8 >= 1000 * .passes end))' "$COUNTS"
    holds 'all(.results[].trials[]; .handles.n as $n
               | .handles.min_bytes <= .handles.max_bytes
               and .handles.min_bytes * $n <= .bytes + .ramp_bytes
               and .handles.max_bytes * $n >= .bytes + .ramp_bytes
               and .handles.fairness_ratio > 0 and .handles.fairness_ratio <= 1)' \
        '[.results[] | [.id, (.trials[] | [.bytes, .ramp_bytes, .handles])]]'
}

# --- what is counted

@test "epoll, poll and the oracle are compared, and the document is a valid one" {
    json epoll "${FAST[@]}" --mode=epoll,poll,none-oracle -n 64
    status_is 0
    holds '[.results[].mode] == ["epoll", "poll", "none-oracle"] and all(.results[]; .status == "ok")' "$CASES"
    holds 'all(.results[].trials[]; .handles_served == 64 and .handles.n == 64)' "$COUNTS"
    holds 'all(.results[].trials[]; .peer.cpu_ns > 0 and .peer.calls >= .peer.messages and .cpu_ns > 0)'
    holds '.comparisons | length == 2' .comparisons
    counts_hold
    figures_hold
}

@test "events a second, a wait and a read follow from the trials" {
    json epoll "${FAST[@]}" --mode=epoll,epoll-et,none-scan -n 32
    status_is 0
    near='def near($a; $b): ($a - $b) | fabs <= 1e-9 * ($b | fabs);'
    holds "$near"' all(.results[]; [.trials[] | select(.warmup | not)] as $t | .summary
        | near(.events_per_s.min; [$t[] | .messages * 1e9 / .wall_ns] | min)
        and near(.events_per_s.max; [$t[] | .messages * 1e9 / .wall_ns] | max)
        and near(.events_per_s.mean; [$t[] | .messages * 1e9 / .wall_ns] | add / length)
        and near(.coalescing_ratio.max; [$t[] | .messages / .reads] | max)
        and near(.cpu_ns_per_event.max; [$t[] | .cpu_ns / .messages] | max))' \
        '[.results[] | [.id, .summary.events_per_s, .summary.coalescing_ratio]]'
    holds "$near"' all(.results[] | select(.mode != "none-scan");
        [.trials[] | select(.warmup | not) | .events / .waits] as $t
        | near(.summary.events_per_wait.max; $t | max))' '[.results[] | [.id, .summary.events_per_wait]]'
    # of the trials that count
    holds 'all(.results[] | select(.mode != "none-scan"); .wait_events as $w
        | $w.calls == ([$w.buckets[][1]] | add) and $w.p50_events <= $w.p90_events
        and $w.p90_events <= $w.max_events and $w.max_events <= 64
        and $w.calls == ([.trials[] | select(.warmup | not) | .waits - .empty_waits] | add))' \
        '[.results[] | [.id, .wait_events]]'
}

@test "every way reads every message of every kind of handle" {
    json epoll --quick --rounds=1 --warmup=0 --trial-time=100us --ramp=100us --mode=all -n 64 --kind=pipe,unix,inet,eventfd
    status_is 0
    counts_hold
    holds 'all(.results[]; .status == "ok" or (.status == "skipped" and (.reason | length > 0)))' "$CASES"
    holds '[.results[] | select(.status == "ok")] | length >= 40' "$CASES"
    holds '[.results[].params.kind] | unique == ["eventfd", "inet", "pipe", "unix"]'
    # one message, one read: who looks at what an event tells of finds it
    holds 'all(.results[].trials[]; .reads == .messages)' "$COUNTS"
    holds 'all(.results[] | select(.mode | test("^(epoll|epoll-oneshot|poll|select|libevent.*|io_uring-poll)$")) | .trials[];
               .events == .reads and .spurious == 0 and .waits > 0)' \
        '[.results[] | [.id, (.trials[] | [.events, .reads, .spurious])]]'
    holds 'all(.results[] | select(.mode | test("^none-")) | .trials[]; .waits == 0 and .events == 0)'
}

@test "handles and the share of them that is active are swept" {
    json epoll "${SMALL[@]}" --mode=epoll,poll -n 8,64 --active=10,100 --order=cyclic
    status_is 0
    holds '[.results[] | select(.mode == "poll").params | [.handles, .active]]
           | sort == [[8, 10], [8, 100], [64, 10], [64, 100]]' "$CASES"
    holds 'all(.results[]; .params.order == "cyclic")'
    holds 'all(.results[]; .params.handles as $n | all(.trials[]; .handles.n == $n and .handles_served == $n))' \
        '[.results[] | [.id, (.trials[] | .handles_served)]]'
    counts_hold
}

@test "several unread messages are one read" {
    json epoll "${SMALL[@]}" --mode=epoll,epoll-et,poll,none-oracle -n 16 --outstanding=16,0
    status_is 3
    counts_hold
    holds '[.results[] | select(.mode == "none-oracle" and .params.outstanding == 0)]
           | length == 1 and .[0].status == "skipped" and (.[0].reason | test("outstanding"))' "$CASES"
    holds '[.results[] | select(.status == "ok")] | length == 7' "$CASES"
    holds 'any(.results[].trials[]; .messages > .reads)' "$COUNTS"
}

@test "several threads read together, with one instance or one each" {
    json epoll "${SMALL[@]}" --mode=epoll,epoll-et,epoll-oneshot -n 64 --threads=2 --share=one,each
    status_is 0
    holds '[.results[] | select(.status == "ok")] | length == 6' "$CASES"
    counts_hold
}

@test "EPOLLEXCLUSIVE is for several threads" {
    json epoll "${SMALL[@]}" --mode=epoll-exclusive -n 64 --threads=1,2,4 --writers=2
    status_is 3
    holds '[.results[].status] == ["skipped", "ok", "ok"] and (.results[0].reason | test("threads"))' "$CASES"
    counts_hold
}

@test "who waits in one thread is skipped with several, and says so" {
    json epoll "${SMALL[@]}" --mode=poll,epoll -n 8 --threads=2
    status_is 3
    holds '.results[0].status == "skipped" and (.results[0].reason | test("one thread")) and .results[1].status == "ok"' "$CASES"
}

@test "more threads or writers than handles are skipped with both in words" {
    json epoll "${SMALL[@]}" --mode=epoll -n 4 --threads=5
    status_is 3
    holds '.results[0].status == "skipped" and (.results[0].reason | test("4 handles"))' "$CASES"
    json epoll "${SMALL[@]}" --mode=epoll -n 4 --writers=5
    status_is 3
    holds '.results[0].status == "skipped" and (.results[0].reason | test("4 handles"))' "$CASES"
}

@test "--latency gives the time from write to read, and without it there is none" {
    json epoll "${FASTER[@]}" --mode=epoll,select,none-oracle -n 64 --latency
    status_is 0
    holds 'all(.results[]; .latency.calls >= 1000 and .latency.p50_ns != null and .latency.p99_ns != null
               and .latency.p50_ns > 0 and .latency.p50_ns <= .latency.p90_ns
               and .latency.p90_ns <= .latency.p99_ns and .latency.p99_ns <= .latency.max_ns)' \
        '[.results[] | [.id, (.latency | del(.buckets))]]'
    holds 'all(.results[]; .latency.calls == ([.trials[] | select(.warmup | not) | .reads] | add))' \
        '[.results[] | [.id, .latency.calls, [.trials[].reads]]]'
    json epoll "${FASTER[@]}" --mode=epoll -n 64
    holds '.results[0].latency == null'
}

@test "a rate is kept, and its latency is told unasked" {
    json epoll --quick --rounds=2 --trial-time=100ms --mode=epoll -n 16 --rate=5000
    status_is 0
    counts_hold
    # late messages are made up for: a trial that begins behind may be faster, none is by much
    holds '.results[0].summary.events_per_s.median | . > 2500 and . < 7500' '.results[0].summary.events_per_s'
    holds '.results[0].latency.p50_ns <= .results[0].latency.p99_ns'
}

@test "control calls are counted, and nobody writes meanwhile" {
    json epoll "${SMALL[@]}" --ctl -n 16
    status_is 0
    holds '[.results[].mode] | length >= 2 and all(.[]; startswith("ctl-"))' "$CASES"
    holds 'all(.results[].trials[]; .messages >= 1000 * .passes and .reads == 0 and .peer == null)' "$CASES"
}

@test "wake-ups in vain are told for each thread" {
    json epoll --quick --rounds=2 --mode=epoll -n 64 --threads=2
    status_is 0
    holds 'all(.results[0].trials[]; (.spurious_by_thread | length) == 2 and (.spurious_by_thread | add) == .spurious)' \
        '[.results[0].trials[] | [.spurious, .spurious_by_thread]]'
}

@test "a run of a given length ends, and its intervals sum to the total" {
    json epoll --quick --mode=epoll -n 64 --duration=1s --interval=250ms
    status_is 0
    holds '.results[0] | .status == "ok" and (.intervals | length >= 4) and (.trials | length == 1)' "$CASES"
    holds '.results[0] | .trials[0] as $t
           | all(("bytes", "messages", "reads", "events", "waits") as $k | [([.intervals[][$k]] | add), $t[$k]];
                 .[0] == .[1])' '.results[0] | [.intervals, (.trials[0] | [.bytes, .messages, .reads, .events, .waits])]'
    holds '.results[0] | ([.intervals[].wall_ns] | add) == .trials[0].wall_ns and .trials[0].wall_ns >= 1e9'
    holds '.results[0].intervals | [range(1; length) as $i | .[$i].start_ns == .[$i - 1].start_ns + .[$i - 1].wall_ns] | all'
    equal "$(grep -c '^iobench: [0-9.]* \.\. [0-9.]* s: [0-9]* events/s' "$ERR")" \
        "$(query '.results[0].intervals | length')" 'lines of intervals'
    equal "$(sed -n 's/.*average without the first interval: \([0-9]*\) events.*/\1/p' "$ERR")" \
        "$(query '.results[0].intervals[1:] | 1e9 * (map(.messages) | add) / (map(.wall_ns) | add) | round')" average
}

@test "a run of a given length ends for every way, also where nothing tells of the writer's end" {
    json epoll --quick --mode=all -n 64 --kind=eventfd --duration=50ms --timeout=5s
    status_is 0
    holds 'all(.results[]; .status == "ok" or .status == "skipped")' "$CASES"
    holds 'all(.results[].trials[]; .wall_ns >= 5e7 and .wall_ns < 2e9 and .messages > 0)' "$COUNTS"
    json epoll --quick --mode=epoll,epoll-exclusive -n 8 --threads=3 --duration=50ms --timeout=5s
    status_is 0
    holds 'all(.results[]; .status == "ok")' "$CASES"
}

# --- calls

# traced ARGUMENT...: the calls of all processes go to the file trace, as strace sums them up.
traced() {
    need strace
    strace -o /dev/null true 2>/dev/null || skip 'strace may not trace here'
    UNDER=(strace -f -qq -c -o trace -e trace=epoll_ctl,epoll_wait,epoll_pwait,poll,ppoll,pselect6)
    json epoll "$@" --quick --rounds=1 --warmup=0 --trial-time=1us --ramp=1us
    UNDER=()
    status_is 0
}
calls() {
    awk -v names="$1" '$NF ~ "^(" names ")$" { n += $4 } END { print n + 0 }' trace
}

@test "epoll is told of each handle once, and as often as strace counts it waits" {
    for mode in epoll epoll-et; do
        traced --mode=$mode -n 32
        equal "$(calls epoll_ctl)" "$(query '32 * (.results[0].trials | length)')" "epoll_ctl of $mode"
        waits=$(calls 'epoll_wait|epoll_pwait')
        # the ramp is one message, and takes one wait or, when a signal comes, two
        least=$(query '[.results[0].trials[].waits] | add')
        [ "$waits" -ge "$least" ] && [ "$waits" -le $((least + 2 * $(query '.results[0].trials | length'))) ] ||
            fail "$waits waits, and $least in the trials"
    done
}

@test "epoll-oneshot is told again after each read" {
    traced --mode=epoll-oneshot -n 32
    equal "$(calls epoll_ctl)" \
        "$(query '.results[0].trials | 32 * length + ([.[] | .reads + .spurious + .ramp_bytes / 8] | add)')" epoll_ctl
    holds 'all(.results[0].trials[]; .calls == 2 * (.reads + .spurious))' "$COUNTS"
}

@test "a second thread costs its epoll one handle more" {
    traced --mode=epoll -n 32 --threads=2 --share=one
    equal "$(calls epoll_ctl)" "$(query '33 * (.results[0].trials | length)')" 'with one instance'
    traced --mode=epoll -n 32 --threads=2 --share=each
    equal "$(calls epoll_ctl)" "$(query '34 * (.results[0].trials | length)')" 'with one each'
    traced --mode=epoll-exclusive -n 32 --threads=2
    equal "$(calls epoll_ctl)" "$(query '66 * (.results[0].trials | length)')" 'with EPOLLEXCLUSIVE'
}

@test "poll and select need no telling" {
    traced --mode=poll,select,libevent-poll,libevent-select -n 32
    equal "$(calls epoll_ctl)" 0 epoll_ctl
}

# --- the list

@test "every way is listed, and those that cannot be used say why" {
    iobench list events
    status_is 0
    for mode in epoll epoll-et epoll-oneshot epoll-exclusive poll select libevent libevent-poll \
        libevent-select io_uring-poll io_uring-poll-multishot none-blocking none-scan none-oracle; do
        grep -q "^  $mode  *[a-z]" "$OUT" || fail "no $mode"
    done
    need strace
    UNDER=(strace -f -qq -o /dev/null -e inject=io_uring_setup:error=EPERM)
    "${UNDER[@]}" true || skip 'strace may not trace here'
    iobench list events
    status_is 0
    equal "$(grep -c '^  io_uring.*unavailable' "$OUT")" 2 'ways without io_uring'
    json epoll "${FASTER[@]}" --mode=io_uring-poll,epoll -n 8
    status_is 3
    holds '.results[0].status == "skipped" and (.results[0].reason | length > 10) and .results[1].status == "ok"' "$CASES"
}

# --- what is refused

@test "numbers out of range and words that mean nothing are exit 2" {
    for option in --handles=0 --handles=-1 --handles=x --handles= --handles=8,,9 --handles=1000001 \
        --handles=18446744073709551616 --active=0 --active=101 --active=x --outstanding=x --outstanding=-1 \
        --outstanding=1025 --outstanding=1.5 --kind=fifo --kind= --order=up --share=two --max-events=0 \
        --threads=0 --writers=0 --rate=0 --rate=fast --interval=0 --duration=0; do
        refused epoll --mode=epoll "$option"
        says "${option%%=*}"
    done
    refused epoll --mode=nonsense
    refused epoll --mode=recv
    refused epoll --ctl --mode=epoll
    refused epoll --exec=cat
}

@test "a FILE is refused, also one on standard input" {
    refused epoll file
    says "'file'"
    refused epoll -
    says "'-'"
}

@test "more handles than descriptors are refused with both figures" {
    UNDER=(bash -c 'ulimit -n 64 && exec "$@"' bash)
    refused epoll --mode=epoll -n 100
    [[ $(<"$ERR") =~ 100\ need\ ([0-9]+)\ descriptors.*64 ]] || fail 'not both figures'
    [ "${BASH_REMATCH[1]}" -ge 200 ] || fail "needs ${BASH_REMATCH[1]}"
    UNDER=()
    [ "$(ulimit -Hn)" != unlimited ] && [ "$(ulimit -Hn)" -lt 1000000 ] || skip 'there is no limit to speak of'
    refused epoll --mode=epoll -n "$(ulimit -Hn)"
    says "the limit is $(ulimit -Hn)"
}

@test "the soft limit of descriptors is raised to the hard one" {
    [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 500 ] || skip 'the limit is low'
    UNDER=(bash -c 'ulimit -Sn 64 && exec "$@"' bash)
    json epoll "${SMALL[@]}" --mode=epoll -n 150
    status_is 0
    counts_hold
}

@test "select takes a thousand pipes and not fifteen hundred, and says so" {
    [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4000 ] || skip 'the limit is low'
    json epoll "${SMALL[@]}" --mode=select,libevent-select,poll -n 1000,1500
    status_is 3
    holds 'all(.results[] | select(.params.handles == 1000 or .mode == "poll"); .status == "ok")' "$CASES"
    holds '[.results[] | select(.params.handles == 1500 and .mode != "poll")]
           | length == 2 and all(.[]; (.status == "failed" or .status == "skipped") and (.reason | test("below 1024")))' "$CASES"
    counts_hold
}

# --- what is left behind

@test "thousands of handles are set up and gone" {
    [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 13000 ] || skip 'the limit is low'
    json epoll "${FASTER[@]}" --mode=epoll,poll -n 6000 --timeout=20s
    status_is 0
    counts_hold
    holds 'all(.results[].trials[]; .setup_ns > 0)'
}

@test "connections leave no port waiting" {
    [ -r /proc/net/tcp ] || skip 'cannot see connections'
    waiting() { awk '$4 == "06"' /proc/net/tcp | wc -l; }
    before=$(waiting)
    json epoll "${FASTER[@]}" --mode=epoll,poll,none-oracle -n 200 --kind=inet
    status_is 0
    after=$(waiting)
    # some 3000 connections were made
    [ $((after - before)) -lt 100 ] || fail "$before before, $after after"
}

@test "a run that is told to end gives what it has and leaves nothing behind" {
    MARK=run-$BASHPID-$BATS_TEST_NUMBER
    status=0
    env --default-signal=TERM "$IOBENCH" epoll --json --mode=epoll,poll -n 64 --rounds=100000 \
        --time-limit=50s --trial-time=1ms --progress=always --label=mark="$MARK" >"$OUT" 2>"$ERR" 3>&- &
    run=$!
    BACKGROUND+=($run)
    eventually 30 grep -qa 'measuring.*round [3-9]' "$ERR"
    kill -TERM $run
    wait $run || status=$?
    status_is 143
    is_report "$OUT"
    holds '.interrupted and all(.results[]; .trials | length >= 2)'
    no_process_with "$MARK"
}

@test "an interrupted run of a given length tells what it counted until then" {
    MARK=run-$BASHPID-$BATS_TEST_NUMBER
    status=0
    env --default-signal=TERM "$IOBENCH" epoll --json --mode=epoll -n 64 --duration=40s --interval=100ms \
        --label=mark="$MARK" >"$OUT" 2>"$ERR" 3>&- &
    run=$!
    BACKGROUND+=($run)
    eventually 30 grep -qa '0\.[2-9]00 s: ' "$ERR"
    kill -TERM $run
    wait $run || status=$?
    status_is 143
    is_report "$OUT"
    holds '.interrupted and (.results[0].trials[0] | .complete == false and .messages > 0)' '.results[0].trials'
    no_process_with "$MARK"
}

@test "a run that is killed takes both ends with it" {
    MARK=run-$BASHPID-$BATS_TEST_NUMBER
    "$IOBENCH" epoll --mode=epoll -n 64 --duration=40s --label=mark="$MARK" >"$OUT" 2>"$ERR" 3>&- &
    run=$!
    BACKGROUND+=($run)
    two_ends() { [ "$(processes_with "$MARK" | wc -l)" = 3 ]; }
    eventually 20 two_ends
    kill -KILL $run
    wait $run || true
    no_process_with "$MARK"
}
