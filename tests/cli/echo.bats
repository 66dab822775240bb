# iobench echo at the command line: servers and clients of others, servers that do it wrong, rates,
# interruption.

load common

ECHO=(echo --quick --connections=4)

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    "$PYTHON" "$BATS_TEST_DIRNAME/wrong_server.py" ports >server.log 2>&1 3>&- &
    echo $! >server.pid
    for _ in {1..200}; do
        [ ! -e ports ] || break
        sleep 0.05
    done
}

# common.bash looks at the documents when all is done.
eval "documents_$(declare -f teardown_file)"
teardown_file() {
    kill "$(cat "$BATS_FILE_TMPDIR/server.pid")" 2>/dev/null || true
    documents_teardown_file
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    MARK=run-$BASHPID-$BATS_TEST_NUMBER
}

# wrong BEHAVIOUR ARGUMENT...: a load on a server of wrong_server.py.
wrong() {
    local port
    port=$(sed -n "s/^$1 //p" "$BATS_FILE_TMPDIR/ports")
    [ -n "$port" ] || fail "no server '$1'"
    json "${ECHO[@]}" --connect=127.0.0.1:"$port" "${@:2}"
}
# The trial of a load alone.
TRIAL='.results[0].trials[-1]'

# serve ARGUMENT...: a server of ours at the socket "served"; $SERVER is its process.
serve() {
    env --default-signal=INT,TERM "${UNDER[@]}" "$IOBENCH" echo --quiet --json --listen=unix:served \
        "$@" >server.json 2>server.err 3>&- &
    SERVER=$!
    BACKGROUND+=($SERVER)
    eventually 10 test -S served
}
stop_server() {
    local code=0
    kill -TERM $SERVER
    wait $SERVER || code=$?
    equal "$code" 0 'status of the server'
    is_report server.json
}

# start ARGUMENT...: a run that goes on beside the test.
start() {
    env --default-signal=INT,TERM "$IOBENCH" "$@" --progress=never --label=mark="$MARK" \
        >"$OUT" 2>"$ERR" 3>&- &
    RUN=$!
    BACKGROUND+=($RUN)
}
ended() {
    status=0
    wait $RUN || status=$?
}

# refused ARGUMENT...: wrong usage, told in words.
refused() {
    iobench echo "$@" </dev/null
    status_is 2
    prints_nothing
    [ -s "$ERR" ] || fail 'it does not say why'
}

# --- what is said back

@test "every server says back every byte" {
    json "${ECHO[@]}" --rounds=1 --warmup=0 --requests=5 --duration=10ms
    status_is 0
    holds 'all(.results[]; .status == "skipped" or (.status == "ok" and .verified))'
    holds '[.results[] | select(.status == "ok")] | length >= 2'
}

@test "messages of awkward sizes come back whole, split and in a row" {
    local many
    for many in 1 3; do
        json "${ECHO[@]}" --mode=epoll --rounds=1 --warmup=0 --requests=3 --pipeline=$many --split=$many \
            --message-size=1,63,64,4096,65537,1M
        status_is 0
        holds 'all(.results[]; .status == "ok" and .verified)'
        holds 'all(.results[]; .params.message_size as $size | .trials[] | .requests == 12 * .passes and .bytes == .requests * $size)' \
            '[.results[] | [.params.message_size, (.trials[] | .requests, .bytes)]]'
    done
}

@test "a message that no socket holds is read back while it is written" {
    json echo --quick --mode=epoll --rounds=1 --warmup=0 --connections=1 --requests=1 --message-size=64M
    status_is 0
    holds 'all(.results[]; .verified and all(.trials[]; .bytes == .requests * 67108864))'
}

@test "many small pieces to a UNIX socket do not stop both ends" {
    json echo --quick --mode=epoll,thread --rounds=1 --connections=1 --requests=2 --transport=unix \
        --message-size=16384 --split=1024 --timeout=20
    status_is 0
    holds 'all(.results[]; .verified)'
}

@test "threads of the load share connections and requests with the remainder" {
    json echo --quick --mode=epoll --rounds=1 --warmup=0 --connections=7 --client-threads=3 --requests=10
    holds 'all(.results[].trials[]; .requests == 70 * .passes and .connections_asked == 7 and
        .connections_established == 7 and .most_open == 7)' '[.results[].trials[]]'
    json echo --quick --mode=epoll --rounds=1 --warmup=0 --connections=3 --client-threads=2 --requests=100 --rate=3000
    holds 'all(.results[].trials[]; .requests == 300 * .passes) and ([.results[].trials[] | .wall_ns / .passes] | min < 140000000)' \
        '[.results[].trials[] | [.requests, .wall_ns]]'
}

@test "nothing, and what is no number, is no load" {
    local wrong
    for wrong in --rate=0 --pipeline=0 --message-size=0 --connections=0 --split=0 --requests=0 \
        --client-threads=0 --rate=-1 --pipeline=x; do
        refused "$wrong"
    done
    refused --connect=127.0.0.1:1 --listen=127.0.0.1:1
    refused --exec='x=true'
}

# --- when requests begin

@test "a rate is kept, and thinking spaces requests" {
    serve --mode=epoll
    json "${ECHO[@]}" --connect=unix:served --rate=500 --duration=1s
    status_is 0
    holds "$TRIAL | .requests >= 400 and .requests <= 505" "$TRIAL"
    json "${ECHO[@]}" --connect=unix:served --think=50ms --duration=1s
    holds "$TRIAL | .requests >= 20 and .requests <= 84" "$TRIAL"
    stop_server
}

@test "a rate that nobody can keep ends in time" {
    serve --mode=epoll
    json "${ECHO[@]}" --connect=unix:served --rate=1000000000 --duration=500ms
    status_is 0
    holds "$TRIAL | .requests > 100 and .wall_ns < 5000000000" "$TRIAL"
    stop_server
}

@test "a server that stops for a second makes all late that was due: a closed loop hides it" {
    serve --mode=epoll
    (sleep 1.5 && kill -STOP $SERVER && for child in $(pgrep -P $SERVER); do kill -STOP "$child"; done
        sleep 1 && for child in $(pgrep -P $SERVER); do kill -CONT "$child"; done; kill -CONT $SERVER) 3>&- &
    json echo --connect=unix:served --connections=1 --rate=100 --duration=5s
    status_is 0
    # of 500 at least 80 wait 50 ms and more from their moment on, and few from their sending on
    holds '.results[0] | ([.latency.buckets[] | select(.[0] > 50e6) | .[1]] | add) >= 80' '.results[0].latency.p99_ns'
    # p99 of 500: five are above
    holds '.results[0] | ([.latency.buckets[] | select(.[0] > 0.8e9) | .[1]] | add) >= 5' '.results[0].latency.buckets[-9:]'
    holds '.results[0] | ([.service_latency.buckets[] | select(.[0] > 300e6) | .[1]] | add) <= 10'
    (sleep 0.5 && for child in $(pgrep -P $SERVER); do kill -STOP "$child"; done
        sleep 1 && for child in $(pgrep -P $SERVER); do kill -CONT "$child"; done) 3>&- &
    json echo --connect=unix:served --connections=1 --duration=2s
    holds '.results[0] | ([.latency.buckets[] | select(.[0] > 700e6) | .[1]] | add) == 1'
    stop_server
}

@test "two writes meet the 40 ms of Nagle and delayed acknowledgements, unless there is no delay" {
    # an echo of the first byte brings its acknowledgement along: HTTP waits for the whole request
    json echo --quick --mode=epoll --protocol=http --connections=1 --split=2 --duration=1s --nodelay=none,both
    holds '.results[] | select(.params.nodelay_at == "none") | .latency.p50_ns | . > 36e6 and . < 60e6' '[.results[].latency.p50_ns]'
    holds '.results[] | select(.params.nodelay_at == "both") | .latency.p50_ns < 20e6' '[.results[].latency.p50_ns]'
}

# --- servers that do it wrong

@test "a server that echoes is right" {
    wrong echo --requests=50
    status_is 0
    holds ".results[0].verified and ($TRIAL | .requests == 200)"
}

@test "wrong, missing and surplus bytes are found" {
    wrong flips --requests=20
    status_is 3
    holds ".results[0] | .status == \"invalid\" and .verified == false and .trials[-1].wrong_bytes > 0"
    wrong many --requests=20
    status_is 3
    holds ".results[0] | .status == \"invalid\" and .trials[-1].wrong_bytes > 0"
    wrong few --requests=20 --timeout=1
    status_is 3
    holds "$TRIAL | .timeouts == 4 and .requests == 0" "$TRIAL"
}

@test "a server that closes, resets or says nothing is told apart" {
    wrong closes-asked --requests=20
    status_is 3
    holds "$TRIAL | .closed_early > 20 and .resets == 0 and .requests == 0" "$TRIAL"
    wrong closes --requests=20
    status_is 3
    holds "$TRIAL | .closed_early + .resets > 20 and .requests == 0" "$TRIAL"
    wrong resets --requests=20
    status_is 3
    holds "$TRIAL | .resets > 20 and .requests == 0" "$TRIAL"
    wrong silent --requests=20 --timeout=1
    status_is 3
    holds "$TRIAL | .timeouts == 4 and .requests == 0" "$TRIAL"
    says '4 by silence'
}

@test "a server that closes what it is not asked on is not met again and again" {
    wrong closes --rate=10 --duration=1s
    status_is 3
    holds "$TRIAL | .reconnections < 100 and .connections_lost <= 4" "$TRIAL"
}

@test "of a server that dies there is what it did until then" {
    wrong dies --requests=1000
    status_is 3
    holds "$TRIAL | .complete == false and .requests > 0 and .requests <= 500 and .connections_lost == 4 and
        (.connect_errors | has(\"ECONNREFUSED\"))" "$TRIAL"
    holds '.errors[0].code == "server_gone" or .errors[1].code == "server_gone"' .errors
}

@test "answers of HTTP come in many ways" {
    local way
    for way in chunked byte-by-byte large-header continues hints no-content moved unlimited closing old; do
        wrong $way --protocol=http --requests=20
        status_is 0
        holds "$TRIAL | .requests == 80 and .malformed == 0 and .closed_early == 0 and .status_errors == 0" "$TRIAL"
        case $way in unlimited | closing | old) holds "$TRIAL | .reconnections >= 76" "$TRIAL" ;; esac
    done
}

@test "connections that think are asked again when the server has closed them" {
    wrong old --protocol=http --requests=10 --think=5ms
    status_is 0
    holds "$TRIAL | .requests == 40" "$TRIAL"
}

@test "HTTP errors are counted by status, cut answers and garbage as such" {
    wrong not-found --protocol=http --requests=20
    status_is 3
    holds "$TRIAL | .statuses == {\"404\": 80} and .status_errors == 80" "$TRIAL"
    wrong fails --protocol=http --requests=20
    status_is 3
    holds "$TRIAL | .statuses == {\"500\": 80}" "$TRIAL"
    wrong cut --protocol=http --requests=20
    status_is 3
    holds "$TRIAL | .closed_early > 20 and .requests == 0" "$TRIAL"
    local garbage
    for garbage in garbage garbage-later huge-header; do
        wrong $garbage --protocol=http --requests=20
        status_is 3
        holds ".results[0].status == \"invalid\" and ($TRIAL | .malformed > 0)" "$TRIAL"
    done
}

# --- what is not there, or has run out

@test "nobody listens: an error within 5 s, and a document that says so" {
    local began=$SECONDS
    json echo --connect=127.0.0.1:1 --duration=20s
    status_is 3
    [ $((SECONDS - began)) -le 5 ] || fail 'that took too long'
    holds '(.errors | length) > 0 and .results[0].status == "failed"'
    says 'Connection refused'
    json echo --connect=unix:nowhere --duration=20s
    status_is 3
}

@test "a socket whose queue is full and is not served is not waited for endlessly" {
    "$PYTHON" -c '
import socket, time
s = socket.socket(socket.AF_UNIX)
s.bind("full")
s.listen(0)
a = [socket.socket(socket.AF_UNIX) for _ in range(8)]
for c in a:
    c.setblocking(False)
    try:
        c.connect("full")
    except BlockingIOError:
        pass
open("ready", "w").close()
time.sleep(60)' 3>&- &
    BACKGROUND+=($!)
    eventually 10 test -e ready
    local began=$SECONDS
    json echo --connect=unix:full --duration=20s --timeout=20
    status_is 3
    [ $((SECONDS - began)) -le 8 ] || fail 'that took too long'
    says 'cannot connect to'
}

@test "an address in use, and one that is not ours, are errors" {
    serve --mode=epoll
    iobench echo --listen=unix:served --mode=epoll
    status_is 3
    prints_nothing
    [ -S served ] || fail 'the socket of the other server was taken away'
    stop_server
    [ ! -e served ] || fail 'the socket was left'
    iobench echo --listen=192.0.2.1:12345 --mode=epoll
    status_is 3
    says '192.0.2.1'
}

@test "more connections than the limit allows are refused, with both figures" {
    need prlimit
    UNDER=(prlimit --nofile=100:100)
    iobench "${ECHO[@]}" --connections=500
    UNDER=()
    [ "$status" = 2 ] || status_is 3
    says 500
    says 100
}

@test "a server without descriptors refuses, counts, and does not run hot" {
    need prlimit
    UNDER=(prlimit --nofile=60:60)
    serve --mode=epoll
    UNDER=()
    json echo --connect=unix:served --connections=200 --rate=100 --duration=1s --timeout=5
    holds "$TRIAL | .requests > 0" "$TRIAL"
    stop_server
    jq -e '.results[0].trials[-1] | .refused >= 100 and (.connect_errors | has("EMFILE")) and
        .cpu_ns < 0.7 * .wall_ns' server.json >/dev/null || fail "$(jq -c '.results[0].trials' server.json)"
    [ "$(wc -l <server.err)" -le 3 ] || fail "$(head -5 server.err)"
}

@test "ports that have run out are named" {
    need ip
    unshare -rn true 2>/dev/null || skip 'no network namespace can be made here'
    cat >alone <<-'SH'
	ip link set lo up
	echo 40000 40009 >/proc/sys/net/ipv4/ip_local_port_range || exit 77
	"$1" echo --quiet --listen=127.0.0.1:5000 --mode=epoll >/dev/null 2>&1 &
	for _ in $(seq 100); do ss -ltn 2>/dev/null | grep -q :5000 && break; sleep 0.05; done
	"$1" echo --json --connect=127.0.0.1:5000 --connections=30 --requests=5 >"$2"
	echo $? >status
	kill $!
	SH
    status=0
    timeout 30 unshare -rn sh alone "$IOBENCH" "$OUT" 2>"$ERR" 3>&- || status=$?
    [ "$status" != 77 ] || skip 'the range of ports cannot be set'
    is_report "$OUT"
    holds "$TRIAL | .connections_asked == 30 and .connect_errors.EADDRNOTAVAIL + .connections_established == 30 and
        .connections_established <= 10" "$TRIAL"
}

# --- servers and clients of others

# curl_all: a request by curl at $port, again on the same connection, HEAD, and one with a body.
@test "curl, wrk and ab get their answers from our servers" {
    need curl
    local mode port=$((20000 + RANDOM % 10000))
    for mode in thread epoll; do
        : $((++port))
        "$IOBENCH" echo --quiet --json --listen=127.0.0.1:$port --protocol=http --message-size=5 --mode=$mode \
            >server.json 2>server.err 3>&- &
        SERVER=$!
        BACKGROUND+=($SERVER)
        eventually 10 curl -s -o answer "http://127.0.0.1:$port/"
        equal "$(cat answer)" xxxxx "answer of $mode"
        equal "$(curl -s "http://127.0.0.1:$port/a?b" --next -s "http://127.0.0.1:$port/")" xxxxxxxxxx
        equal "$(curl -s -d something "http://127.0.0.1:$port/")" xxxxx 'answer to a request with a body'
        curl -sfI "http://127.0.0.1:$port/" | grep -q '^HTTP/1.1 200' || fail "no HEAD from $mode"
        if command -v wrk >/dev/null; then
            wrk -c 20 -t 1 -d 1 "http://127.0.0.1:$port/" >wrk.txt
            refute grep -E 'Socket errors|Non-2xx' wrk.txt
            [ "$(sed -n 's/^ *\([0-9]*\) requests in.*/\1/p' wrk.txt)" -gt 50 ] || fail "$(cat wrk.txt)"
        fi
        if command -v ab >/dev/null; then
            ab -q -k -c 5 -n 200 "http://127.0.0.1:$port/" >ab.txt 2>&1
            grep -q '^Failed requests: *0$' ab.txt || fail "$(cat ab.txt)"
        fi
        stop_server
        jq -e '.results[0].trials[-1] | .bad_requests == 0 and .accepts > 5' server.json >/dev/null || fail "$(cat server.json)"
    done
}

# write_nginx: a script that starts nginx at the port of its argument; daemon on or off.
write_nginx() {
    PATH=$PATH:/usr/sbin
    need nginx
    cat >nginx.sh <<-SH
	#!/bin/sh
	mkdir -p $PWD/$MARK
	cat >$PWD/$MARK/conf <<-CONF
	daemon \$2; pid $PWD/$MARK/pid; error_log $PWD/$MARK/log; events { worker_connections 200; }
	http { access_log off; keepalive_requests 50; client_body_temp_path $PWD/$MARK/a; proxy_temp_path $PWD/$MARK/b;
	fastcgi_temp_path $PWD/$MARK/c; uwsgi_temp_path $PWD/$MARK/d; scgi_temp_path $PWD/$MARK/e;
	server { listen 127.0.0.1:\$1; location / { return 200 hello; } } }
	CONF
	exec nginx -e $PWD/$MARK/log -p $PWD/$MARK -c $PWD/$MARK/conf
	SH
    chmod +x nginx.sh
}

@test "nginx is started, loaded with the cost of its processes, and stopped" {
    write_nginx
    json "${ECHO[@]}" --mode=epoll --protocol=http --rounds=1 --exec="nginx=$PWD/nginx.sh {port} off" --duration=500ms
    status_is 0
    holds '.results[] | select(.mode == "nginx") | .status == "ok" and all(.trials[]; .requests > 100 and
        .cpu_ns > 0 and .peak_rss_bytes > 1e6 and .closed_early == 0 and .malformed == 0)' \
        '[.results[] | [.mode, .status, .reason, (.trials[] | .requests, .cpu_ns)]]'
    no_process_with "$MARK"
}

@test "a server in the background is stopped too, also when the run is interrupted" {
    write_nginx
    start "${ECHO[@]}" --mode=epoll --protocol=http --exec="nginx=$PWD/nginx.sh {port} on" --duration=2s --json
    eventually 20 grep -q . "$MARK/pid"
    sleep 0.3
    local nginx
    nginx=$(cat "$MARK/pid")
    kill -INT $RUN
    ended
    status_is 130
    is_report "$OUT"
    no_process_with "$PWD/$MARK"
    refute kill -0 "$nginx" 2>/dev/null
}

@test "commands that are no server are errors, one by one, and leave nothing" {
    json "${ECHO[@]}" --mode=epoll --rounds=1 --trial-time=1ms --timeout=1 --exec='ends=exit 5; true {port}' \
        --exec='none=/nonexisting/server {port}' --exec="mute=sleep 333.33; true {port}"
    status_is 3
    holds '[.results[] | .status] == ["ok", "failed", "failed", "failed"]'
    says 'ended by itself, with status 5'
    says 'no such command'
    says 'does not accept connections'
    no_process_with 333.33
}

@test "a server that ignores TERM is killed" {
    json "${ECHO[@]}" --mode=epoll --timeout=2 --duration=300ms \
        --exec="deaf=trap '' TERM; '$PYTHON' '$BATS_TEST_DIRNAME/wrong_server.py' $PWD/$MARK echo:{port}"
    status_is 0
    holds 'all(.results[]; .status == "ok")' '[.results[] | [.mode, .status, .reason]]'
    no_process_with "$MARK"
}

# --- the end

@test "INT and TERM end a run with its figures, and nothing stays" {
    local signal
    for signal in INT:130 TERM:143; do
        start echo --quick --mode=thread --duration=20s --json --transport=unix
        sleep 1
        kill -"${signal%:*}" $RUN
        ended
        status_is "${signal#*:}"
        is_report "$OUT"
        holds '.interrupted and (.results[0].trials[-1] | .complete == false and .bytes > 0)' .results[0].trials
        no_process_with "$MARK"
    done
}

@test "a load that is interrupted tells what it has, its server goes on and ends by INT with 0" {
    serve --mode=epoll
    start echo --connect=unix:served --duration=20s --json
    sleep 1
    kill -INT $RUN
    ended
    status_is 130
    is_report "$OUT"
    holds ".interrupted and ($TRIAL | .requests > 0 and .connections_asked == 64)" "$TRIAL"
    iobench echo --connect=unix:served --requests=10 --connections=3
    status_is 0
    kill -INT $SERVER
    local code=0
    wait $SERVER || code=$?
    equal "$code" 0 'status of the server'
    is_report server.json
    [ ! -e served ] || fail 'the socket was left'
    jq -e '.results[0].trials[-1] | .accepts == 67 and .most_open == 64' server.json >/dev/null ||
        fail "$(jq -c '.results[0].trials' server.json)"
}

@test "output that nobody can take is an error" {
    [ -c /dev/full ] || skip 'no /dev/full'
    status=0
    "$IOBENCH" "${ECHO[@]}" --mode=epoll --rounds=1 --trial-time=1ms >/dev/full 2>"$ERR" 3>&- || status=$?
    status_is 3
    says 'No space left'
}

@test "the same server twice: none is the winner" {
    json "${ECHO[@]}" --rounds=12 --trial-time=2ms --mode=epoll --nodelay=client,both --transport=unix
    holds 'all(.comparisons[]; .verdict != "faster" and .verdict != "slower" or
        (.ratio > 0.5 and .ratio < 2))' .comparisons
}

# --- attackers

# rss_of_children PID: kB that the processes of the server hold.
rss_of_children() {
    local child
    for child in $(pgrep -P "$1"); do
        sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$child/status"
    done | sort -n | tail -n 1
}

@test "endless headers, slow readers and half a request cost the server little memory" {
    serve --mode=epoll --protocol=http --message-size=100k
    local before
    before=$(rss_of_children $SERVER)
    "$PYTHON" -c '
import socket
held = []
for kind in range(150):
    s = socket.socket(socket.AF_UNIX)
    s.connect("served")
    s.settimeout(2)
    try:
        if kind % 3 == 0:  # a header without an end
            s.sendall(b"GET / HTTP/1.1\r\n")
            for _ in range(40):
                s.sendall(b"X-Y: " + b"z" * 2000 + b"\r\n")
        elif kind % 3 == 1:  # requests whose answers nobody reads
            s.setblocking(False)
            for _ in range(1000):
                s.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
        else:  # half a request
            s.sendall(b"GET / HT")
    except OSError:
        pass
    held.append(s)
open("held", "w").close()
import sys
sys.stdin.read()' < <(sleep 30) 3>&- &
    BACKGROUND+=($!)
    eventually 20 test -e held
    local after
    after=$(rss_of_children $SERVER)
    [ $((after - before)) -lt 20000 ] || fail "$before kB became $after kB"
    json "${ECHO[@]}" --connect=unix:served --protocol=http --requests=20
    status_is 0
    stop_server
    jq -e '.results[0].trials[-1] | .bad_requests >= 50' server.json >/dev/null || fail "$(cat server.json)"
}
