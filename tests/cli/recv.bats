# The figures of iobench recv: bytes of both ends, servers and clients of others, what is refused.

load common

# Small blocks: what io_uring receives ahead of the clock stays small beside a trial.
SMALL=(--quick --rounds=2 --trial-time=200us --ramp=100us -b 4096)

# Of trials with a sender of our own: what was sent has been received, lost or cut, to the byte.
SUM='all(.results[].trials[]; .peer.bytes == .bytes + .ramp_bytes + .cut_bytes + .lost_bytes)'
SUMS='[.results[] | [.id, .status, .reason, (.trials[] | [.bytes, .ramp_bytes, .cut_bytes, .lost_bytes, .peer.bytes])]]'

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# A port of 127.0.0.1 that nobody listens on, out of the range that systems give away: in $port.
free_port() {
    port=$((10000 + RANDOM % 20000))
    while is_taken; do
        port=$((10000 + RANDOM % 20000))
    done
}
is_taken() {
    grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf %04X $port) " /proc/net/tcp
}
is_listening() {
    grep -qi ": 0100007F:$(printf %04X $port) 00000000:0000 0A" /proc/net/tcp
}

need_nc() {
    need nc
    [[ $(nc -h 2>&1) == *OpenBSD* ]] || skip 'no netcat of OpenBSD'
    [ -r /proc/net/tcp ] || skip 'cannot see who listens'
}

# serve COMMAND...: its output goes to who connects first to $port.
serve() {
    need_nc
    free_port
    nc -N -l 127.0.0.1 $port < <("$@" 2>/dev/null 3>&-) >/dev/null 2>&1 3>&- &
    BACKGROUND+=($!)
    eventually 10 is_listening
}

# As in usage.bats.
refused() {
    iobench "$@" </dev/null
    status_is 2
    prints_nothing
    [[ $(tail -n 1 "$ERR") == "iobench: see 'iobench recv --help'" ]] || fail 'it does not say where help is'
}

# --- both ends are ours

@test "recv and epoll are compared, and the document is a valid one" {
    json recv "${FAST[@]}" --mode=recv,epoll
    status_is 0
    holds '[.results[].mode] == ["recv", "epoll"] and all(.results[]; .status == "ok" and .verified)'
    holds "$SUM" "$SUMS"
    holds 'all(.results[].trials[]; .peer.cpu_ns > 0 and .peer.calls > 0 and .cpu >= 0 and .peer.cpu >= 0)'
    holds '.comparisons | length == 1' .comparisons
    figures_hold
}

@test "read and recv are compared at every block size, and a winner needs an interval beside 1" {
    json recv "${FAST[@]}" --mode=read,recv -b 64,4k,256k --bytes=64k
    status_is 0
    holds '.results | length == 6'
    holds '[.comparisons[].verdict] | unique - ["faster", "slower", "same", "inconclusive"] == []' .comparisons
    holds 'all(.comparisons[] | select(.verdict == "faster"); .ci_high < 1)' .comparisons
    holds 'all(.comparisons[] | select(.verdict == "slower"); .ci_low > 1)' .comparisons
}

every_byte_arrives() {
    json recv "${SMALL[@]}" --mode=all --transport="$1"
    status_is 0
    holds "$SUM" "$SUMS"
    holds 'all(.results[].trials[]; .lost_bytes == 0)' "$SUMS"
    holds 'all(.results[] | delivered; .status == "ok" and .verified == true)' \
        '[.results[] | [.id, .status, .reason, .verified, .digest]]'
    holds '[.results[] | delivered | .digest] | unique | length == 1' '[.results[] | [.id, .digest]]'
    holds "[.results[] | select(.status == \"ok\")] | length >= $2" '[.results[] | [.id, .status, .reason]]'
}

@test "every byte sent over TCP arrives, by every way that there is" {
    every_byte_arrives tcp 12
    holds 'all(.results[].trials[]; .socket.congestion != null and .peer.socket.congestion != null)'
}

@test "every byte sent over TCP and IPv6 arrives" {
    grep -q '^0*1 ' /proc/net/if_inet6 2>/dev/null || skip 'no IPv6'
    every_byte_arrives tcp6 12
}

@test "every byte sent over a UNIX socket arrives, by every way that there is" {
    every_byte_arrives unix 11
}

@test "every byte sent over a pair of sockets arrives, by every way that there is" {
    every_byte_arrives socketpair 11
}

@test "every byte sent over a pipe arrives, by every way that takes pipes" {
    every_byte_arrives pipe 7
    holds 'all(.results[] | select(.mode | test("^recv")); .status == "skipped" and (.reason | test("pipe|datagrams|TCP")))'
}

@test "every datagram sent over a UNIX socket arrives, by every way that takes datagrams" {
    every_byte_arrives unix-dgram 8
    holds 'all(.results[].trials[]; .peer.datagrams * 4096 >= .peer.bytes and .datagrams > 0)'
    holds 'all(.results[] | select(.mode | test("^(read|readv|splice|bufferevent)$")); .status == "skipped")'
}

@test "a stream of an odd length is received to the byte" {
    json recv "${SMALL[@]}" --mode=all --bytes=1000003
    status_is 0
    holds 'all(.results[].trials[]; .bytes + .ramp_bytes >= 1000003 * .passes)' "$SUMS"
    holds 'all(.results[] | select(.mode | test("^(recv|read|poll|epoll|spin)$")) | .trials[];
               .bytes == .passes * 1000003)' "$SUMS"
    holds "$SUM" "$SUMS"
    holds 'all(.results[] | delivered; .verified)'
}

@test "a stream that is shorter than the block is received" {
    json recv --quick --rounds=2 --trial-time=100us --mode=recv,epoll-et,io_uring --bytes=5 --ramp=1us
    status_is 0
    holds 'all(.results[].trials[]; .bytes == .passes * 5)' "$SUMS"
    holds "$SUM" "$SUMS"
}

@test "five connections are drained to the byte, and how evenly is told" {
    json recv "${SMALL[@]}" --mode=all --connections=5 --bytes=1000003
    status_is 0
    holds "$SUM" "$SUMS"
    holds 'all(.results[] | select(.status == "ok"); .verified == true)'
    holds '[.results[] | select(.status == "ok")] | length >= 6' '[.results[] | [.id, .status, .reason]]'
    holds 'all(.results[].trials[]; .connections.n == 5 and .connections.max_bytes * 5 >= .bytes
               and .connections.fairness_ratio > 0 and .connections.fairness_ratio <= 1)' "$SUMS"
    # these two take what there is, also before the clock: from one connection more than from another
    holds 'all(.results[] | select(.mode | test("bufferevent|multishot") | not) | .trials[].connections;
               .max_bytes - .min_bytes <= 2 and .fairness_ratio > 0.9999)' \
        '[.results[] | [.mode, .trials[].connections]]'
    holds 'all(.results[] | select(.mode == "recv"); .status == "skipped" and (.reason | test("threads")))'
}

@test "two threads drain a connection each" {
    json recv "${SMALL[@]}" --mode=recv,epoll --threads=2 --connections=2,5 --bytes=100001
    status_is 3
    holds "$SUM" "$SUMS"
    holds 'all(.results[] | select(.status == "ok"); .verified == true)'
    holds '[.results[] | [.mode, .params.connections, .status]] ==
           [["recv", 2, "ok"], ["recv", 5, "skipped"], ["epoll", 2, "ok"], ["epoll", 5, "ok"]]' \
        '[.results[] | [.id, .status, .reason]]'
}

@test "a run of a given length receives what was sent until then" {
    json recv --mode=recv,epoll-et,recv-waitall --duration=100ms
    status_is 0
    holds "$SUM" "$SUMS"
    holds 'all(.results[].trials[]; .bytes > 0 and .wall_ns >= 1e8)' "$SUMS"
}

@test "partial sends are gone on with" {
    json recv --quick --rounds=2 --trial-time=100us --ramp=1us --mode=recv --sndbuf=4096 --bytes=300001 -b 1000
    status_is 0
    holds 'all(.results[].trials[]; .bytes == .passes * 300001)' "$SUMS"
    holds "$SUM" "$SUMS"
    holds '.results[0].verified'
}

@test "datagrams that get lost are counted" {
    json recv --quick --rounds=2 --trial-time=1ms --mode=recv,recvmmsg,epoll --transport=udp \
        --rcvbuf=4096 --send-size=1000 -b 1000 --bytes=10MB
    status_is 0
    holds "$SUM" "$SUMS"
    holds 'any(.results[].trials[]; .lost_bytes > 0 and .socket.drops > 0)' \
        '[.results[].trials[] | [.lost_bytes, .socket.drops]]'
    holds 'all(.results[].trials[]; .peer.datagrams * 1000 >= .peer.bytes and .datagrams <= .peer.datagrams)'
    holds 'all(.results[]; .params.rcvbuf == 4096)'
    holds 'all(.results[].trials[]; .socket.rcvbuf_bytes >= 4096 and .socket.rcvbuf_bytes < 65536)'
}

@test "datagrams longer than the block are cut, and counted with their real length" {
    json recv --quick --rounds=2 --trial-time=200us --ramp=1us --mode=all --transport=unix-dgram \
        --send-size=3000 -b 1000 --bytes=30000
    status_is 0
    holds 'all(.results[].trials[]; .truncated == .datagrams and .datagrams > 0 and .datagrams <= .peer.datagrams)' \
        '[.results[] | [.id, (.trials[] | [.truncated, .datagrams, .peer.datagrams])]]'
    holds 'all(.results[].trials[]; .cut_bytes == 2 * .bytes and .lost_bytes == 0
               and .bytes + .cut_bytes + .ramp_bytes == .peer.bytes)' "$SUMS"
    holds 'all(.results[]; .verified == null)' '[.results[] | [.id, .status, .reason, .verified]]'
}

@test "bufferevent takes at most 4096 bytes a call, and recv fills a larger block" {
    json recv "${FASTER[@]}" --mode=bufferevent,recv -b 64k --transport=socketpair
    status_is 0
    holds 'all(.results[] | select(.mode == "bufferevent") | .trials[]; .bytes <= .calls * 4096)' \
        '[.results[].trials[] | [.bytes, .calls]]'
    holds 'any(.results[] | select(.mode == "recv") | .trials[]; .bytes > .calls * 4096)' \
        '[.results[].trials[] | [.bytes, .calls]]'
}

@test "the edge-triggered way leaves nothing behind" {
    json recv "${FASTER[@]}" --mode=epoll-et,coroutine -b 4k --bytes=1M --timeout=20s
    status_is 0
    holds "$SUM" "$SUMS"
}

@test "connections leave no port waiting" {
    [ -r /proc/net/tcp ] || skip 'cannot see connections'
    waiting() { cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$4 == "06"' | wc -l; }
    before=$(waiting)
    json recv --quick --rounds=20 --trial-time=100us --ramp=1us --mode=recv,spin,epoll --connections=1,3 --bytes=1000
    after=$(waiting)
    holds '[.results[].trials[]] | length >= 80' '[.results[] | [.id, .status, .reason]]'
    [ $((after - before)) -lt 20 ] || fail "$before before, $after after"
}

# --- a server of others

@test "the stream of yes is received exactly, as one trial without an interval" {
    serve yes
    json recv --mode=recv --connect=127.0.0.1:$port --bytes=50MB --block-size=2048 --rounds=1
    status_is 0
    says_nothing
    holds '.results | length == 1 and (.[0] | .status == "ok" and .verified == null and .digest == null)'
    holds '.results[0].trials | length == 1 and (.[0] | .bytes == 50000000 and .passes == 1
           and (.warmup | not) and .calls >= 50000000 / 2048 and .ramp_bytes > 0 and .ramp_bytes <= 2048
           and .peer == null)' '.results[0].trials'
    holds '.comparisons == [] and .results[0].summary.bytes_per_s.n == 1
           and .results[0].summary.bytes_per_s.stddev == null'
}

@test "the text of such a run names the server" {
    serve yes
    iobench recv --mode=epoll-et --connect=127.0.0.1:$port --bytes=1MB --rounds=1
    status_is 0
    prints "127.0.0.1:$port"
}

@test "the calls of a trial are those that strace counts" {
    need strace
    strace -o /dev/null true 2>/dev/null || skip 'strace may not trace here'
    serve yes
    UNDER=(strace -f -q -e trace=recvfrom -o trace)
    json recv --mode=recv --connect=127.0.0.1:$port --bytes=3MB --block-size=2048 --rounds=1
    UNDER=()
    status_is 0
    # one more came before the clock: the first
    equal "$(grep -c 'recvfrom(.* = [0-9]*$' trace)" "$(($(query '.results[0].trials[0].calls') + 1))" calls
    equal "$(sed -n 's/.*recvfrom(.* = \([0-9]*\)$/\1/p' trace | awk '{ n += $1 } END { print n }')" \
        "$(($(query '.results[0].trials[0] | .bytes + .ramp_bytes')))" bytes
}

@test "a server of a UNIX socket is received from" {
    need_nc
    nc -N -lU "$PWD/socket" < <(yes 2>/dev/null 3>&-) >/dev/null 2>&1 3>&- &
    BACKGROUND+=($!)
    eventually 10 test -S socket
    json recv --mode=splice --connect="unix:$PWD/socket" --bytes=1000003 --rounds=1
    status_is 0
    holds '.results[0].trials[0].bytes == 1000003'
}

@test "a server that ends too early makes a failed case that says how far it came" {
    serve head -c 300000 /dev/zero
    json recv --mode=recv --connect=127.0.0.1:$port --bytes=1MB --block-size=1000 --rounds=1
    status_is 3
    holds '.results[0] | .status == "failed" and .verified == null'
    reason=$(query '.results[0].reason')
    [[ $reason =~ ^got\ ([0-9]+)\ of\ 1000000\ bytes ]] || fail "reason: $reason"
    # what came before the clock is on top
    [ "${BASH_REMATCH[1]}" -ge 299000 ] && [ "${BASH_REMATCH[1]}" -le 300000 ] || fail "reason: $reason"
    says 'of 1000000 bytes'
}

@test "a server that closes at once makes a failed case" {
    for mode in recv epoll bufferevent io_uring; do
        serve true
        json recv --mode=$mode --connect=127.0.0.1:$port --bytes=5000 --rounds=1
        status_is 3
        holds '.results[0] | .status == "failed" or .reason == "unavailable"
               and (.status == "skipped" or (.reason | startswith("got 0 of 5000 bytes")))'
    done
}

@test "a server that sends little is waited for as long as --timeout says" {
    serve bash -c 'printf x; exec sleep 30'
    json recv --mode=recv --connect=127.0.0.1:$port --bytes=5000 --rounds=1 --timeout=300ms
    status_is 3
    holds '.results[0] | .status == "failed" and (.reason | test("not done after 0.3 s"))'
}

@test "a refused port is exit 3, with a complete document and in words" {
    free_port
    json recv --mode=recv --connect=127.0.0.1:$port --bytes=5000 --rounds=1
    status_is 3
    says "cannot connect to '127.0.0.1:$port': Connection refused"
    holds '.results | length == 1 and (.[0] | .status == "failed" and (.reason | test("Connection refused")))'
    iobench recv --mode=recv --connect=127.0.0.1:$port --bytes=5000 --rounds=1
    status_is 3
    says "cannot connect to '127.0.0.1:$port': Connection refused"
}

@test "a UNIX socket that is not there is exit 3" {
    json recv --mode=recv --connect="unix:$PWD/nothing" --bytes=5000 --rounds=1
    status_is 3
    says 'No such file or directory'
}

@test "a name that does not resolve is exit 3 and named" {
    json recv --mode=recv --connect=no-such-host.invalid:80 --bytes=5000 --rounds=1 --timeout=20s
    status_is 3
    says 'no-such-host.invalid'
    holds '.results[0].status == "failed"'
}

@test "a port out of range and what is no address are exit 2" {
    for option in --connect --listen; do
        for address in 127.0.0.1:0 127.0.0.1:65536 127.0.0.1:99999999999 127.0.0.1: 127.0.0.1 localhost:http \
            ::1:80 '' unix: "unix:$(printf '%0200d' 0)"; do
            refused recv --mode=recv --rounds=1 "$option=$address"
            says "$option"
        done
    done
    refused recv --mode=recv --rounds=1 --connect=:80
}

@test "--connect and --listen exclude each other and our own sender" {
    refused recv --mode=recv --rounds=1 --connect=127.0.0.1:1 --listen=127.0.0.1:2
    refused recv --mode=recv --rounds=1 --connect=127.0.0.1:1 --exec='nc {host} {port}'
    refused recv --mode=recv file
}

@test "a server that accepts again gives several trials" {
    need_nc
    free_port
    nc -N -k -l 127.0.0.1 $port </dev/zero >/dev/null 2>&1 3>&- &
    BACKGROUND+=($!)
    eventually 10 is_listening
    json recv --mode=recv,epoll --connect=127.0.0.1:$port --bytes=100003 --rounds=3 --trial-time=1ms --timeout=20s
    status_is 0
    holds 'all(.results[]; .status == "ok" and (.trials | length) >= 3)' "$SUMS"
    holds 'all(.results[].trials[]; .bytes == .passes * 100003)' "$SUMS"
}

# --- a client of others

# sends_to_port BYTES: a client that comes once somebody listens.
sends_to_port() {
    in_background bash -c 'until exec 4>/dev/tcp/127.0.0.1/"$0"; do sleep 0.05; done 2>/dev/null
        head -c "$1" /dev/zero >&4' $port "$1"
}

@test "a client that comes is received from" {
    free_port
    sends_to_port 300000
    json recv --mode=recv --listen=127.0.0.1:$port --bytes=200001 -b 1000 --rounds=1
    status_is 0
    holds '.results[0].trials[0].bytes == 200001 and .results[0].verified == null'
}

@test "without a host one listens on loopback" {
    free_port
    sends_to_port 300000
    json recv --mode=poll --listen=:$port --bytes=200001 -b 1000 --rounds=1
    status_is 0
    holds '.results[0].trials[0].bytes == 200001'
}

@test "several clients are received from at once" {
    free_port
    for client in 1 2 3; do
        sends_to_port 100000
    done
    json recv --mode=epoll --listen=127.0.0.1:$port --connections=3 --bytes=150000 -b 1000 --rounds=1
    status_is 0
    holds '.results[0].trials[0] | .bytes == 150000 and .connections.n == 3'
}

@test "nobody comes: the wait is over after --timeout" {
    free_port
    json recv --mode=recv --listen=127.0.0.1:$port --bytes=1000 --rounds=1 --timeout=200ms
    status_is 3
    holds '.results[0].status == "failed"'
}

@test "a UNIX path is listened on, and is gone afterwards" {
    need_nc
    in_background bash -c 'until [ -S "$0" ]; do sleep 0.05; done; exec nc -NU "$0" < <(yes)' "$PWD/socket"
    json recv --mode=recv --listen="unix:$PWD/socket" --bytes=1000003 --rounds=1
    status_is 0
    holds '.results[0].trials[0].bytes == 1000003'
    [ ! -e socket ] || fail 'the socket is still there'
}

@test "a file in the way of a UNIX socket is kept" {
    echo precious >socket
    iobench recv --mode=recv --listen="unix:$PWD/socket" --bytes=1000 --rounds=1
    status_is 3
    says 'Address already in use'
    equal "$(<socket)" precious 'the file'
}

@test "an address that somebody listens on is refused" {
    serve sleep 20
    iobench recv --mode=recv --listen=127.0.0.1:$port --bytes=1000 --rounds=1
    status_is 3
    says 'Address already in use'
}

@test "one iobench sends to another" {
    free_port
    in_background timeout 30 bash -c 'until grep -qi "$1" /proc/net/tcp; do sleep 0.05; done
        exec "$0" recv --send --connect=127.0.0.1:"$2" --bytes=1MB --rounds=1' \
        "$IOBENCH" ": 0100007F:$(printf %04X $port) 00000000:0000 0A" $port
    json recv --mode=recv --listen=127.0.0.1:$port --bytes=900001 -b 2048 --rounds=1
    status_is 0
    holds '.results[0].trials[0].bytes == 900001'
}

# --- a command

client() {
    "$PYTHON" -c pass || skip 'no python'
    cat >client.py <<'END'
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
n = 0
while True:
    got = s.recv(65536)
    if not got:
        break
    n += len(got)
open("counts", "a").write("%d\n" % n)
sys.exit(int(sys.argv[3]))
END
}

@test "a command receives exactly so many bytes each time" {
    client
    json recv --mode=recv --bytes=100003 --rounds=2 --trial-time=1ms --exec="py=$PYTHON client.py {host} {port} 0"
    status_is 0
    equal "$(sort -u counts)" 100003 'bytes of the command'
    holds '.results | map(.mode) == ["recv", "py"] or (.[1].id == "recv/py")' '[.results[].id]'
    holds '.results[1] | .status == "ok" and all(.trials[]; .peer.bytes == 100003)' "$SUMS"
}

@test "a command that fails makes a failed case with its status" {
    client
    json recv --mode=recv --bytes=1000 --rounds=2 --trial-time=1ms --exec="py=$PYTHON client.py {host} {port} 7"
    status_is 3
    holds '.results[0].status == "ok" and .results[1].status == "failed" and (.results[1].reason | test("7"))' \
        '[.results[] | [.id, .status, .reason]]'
}

@test "a command that takes nothing, or not all, makes a failed case that says so" {
    client
    sed 's/got = s.recv(65536)/got = s.recv(100); break/' client.py >lazy.py
    for command in "$PYTHON lazy.py {host} {port} 0" 'true {host} {port}'; do
        json recv --mode=recv --bytes=50MB --rounds=1 --warmup=0 --quick --trial-time=1ms --exec="x=$command"
        status_is 3
        holds '.results[1] | .status == "failed" and (.reason | test("of 50000000 bytes"))' \
            '[.results[] | [.id, .status, .reason, .trials[0].peer.bytes]]'
    done
}

@test "a command without a port is refused" {
    refused recv --mode=recv --exec='py=cat'
    says '{port}'
}

# --- limits

@test "more connections than descriptors are refused with both figures" {
    UNDER=(bash -c 'ulimit -n 64 && exec "$@"' bash)
    refused recv --mode=epoll --connections=100
    [[ $(<"$ERR") =~ 100\ need\ [0-9]+\ descriptors.*64 ]] || fail 'not both figures'
}

@test "the soft limit of descriptors is raised to the hard one" {
    [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 500 ] || skip 'the limit is low'
    UNDER=(bash -c 'ulimit -Sn 64 && exec "$@"' bash)
    json recv "${SMALL[@]}" --mode=epoll --connections=100
    status_is 0
    holds '.results[0].verified'
}

@test "select takes no descriptor of 1024 or more, and says so" {
    [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 3000 ] || skip 'the limit is low'
    json recv "${SMALL[@]}" --mode=select,poll --connections=1200
    status_is 3
    holds '.results[0].status != "ok" and (.results[0].reason | test("below 1024"))'
    holds '.results[1].status == "ok" and .results[1].verified' '[.results[] | [.id, .status, .reason]]'
}

# --- interruption

@test "a run that is told to end gives what it has and leaves nothing behind" {
    MARK=run-$BASHPID-$BATS_TEST_NUMBER
    status=0
    env --default-signal=TERM "$IOBENCH" recv --json --mode=recv,epoll --rounds=100000 --time-limit=50s \
        --trial-time=1ms --progress=always --label=mark="$MARK" >"$OUT" 2>"$ERR" 3>&- &
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

@test "a run that is killed takes both ends with it" {
    MARK=run-$BASHPID-$BATS_TEST_NUMBER
    "$IOBENCH" recv --mode=recv --duration=40s --progress=always --label=mark="$MARK" >"$OUT" 2>"$ERR" 3>&- &
    run=$!
    BACKGROUND+=($run)
    two_ends() { [ "$(processes_with "$MARK" | wc -l)" = 3 ]; }
    eventually 20 two_ends
    kill -KILL $run
    wait $run || true
    no_process_with "$MARK"
}
