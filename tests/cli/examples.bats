# The scripts of contrib/examples run, and print the rows that they promise.

load common

setup() {
    cd "$BATS_TEST_TMPDIR"
    export IOBENCH TMPDIR=$BATS_TEST_TMPDIR
    mkdir nothing && TMPDIR=$PWD/nothing
}

teardown() { # as in common.bash
    show_run
}

# example NAME ARGUMENT...: runs a script; standard input is the caller's.
example() {
    LAST_RUN="contrib/examples/$*"
    status=0
    timeout -s KILL $HANG "$IOBENCH_SOURCE/contrib/examples/$1" "${@:2}" >"$OUT" 2>"$ERR" 3>&- ||
        status=$?
}

# Nothing is left behind: no file, no server.
leaves_nothing() {
    equal "$(ls "$TMPDIR")" '' 'temporary files'
    equal "$(pgrep -f -- "$TMPDIR" || true)" '' 'processes'
}

@test "the examples tell what they are for" {
    for name in echo-coroutines echo-toolkit; do
        example $name --help
        status_is 0
        says_nothing
        prints "contrib/examples/$name ["
        refute grep -q '^#' "$OUT"
    done
}

@test "read-write against recv-send comes out in the shape of the toolkit's table" {
    ROUNDS=6 example echo-toolkit 2
    status_is 0
    says_nothing
    leaves_nothing
    # A figure of each call at each number of requests.
    for name in 'series 1, ms' 'series 2, ms' 'average, ms' 'round trip, median, ms' \
        'memory of the server, kB'; do
        equal "$(grep "^$name" "$OUT" | grep -oE '[0-9.]+' | tail -n 4 | wc -l)" 4 "$name"
    done
    prints 'average then, ms                      0.041        0.037          0.032        0.039'
    grep -E '^100 requests: recv/send took [0-9.]+ times as long as read/write \(95 %: ' "$OUT"
    grep -E '^200 requests: recv/send took [0-9.]+ times as long as read/write \(95 %: ' "$OUT"
}

@test "coroutines' table has a row of each server by each load, without errors" {
    MODES='epoll thread' THREADS=2 CONNECTIONS=20 example echo-coroutines 1s
    status_is 0
    says_nothing
    leaves_nothing
    servers=(epoll thread)
    loads=(iobench)
    ! command -v wrk >/dev/null || loads+=(wrk)
    ! command -v nginx >/dev/null || servers+=(nginx)
    for server in "${servers[@]}"; do
        for load in "${loads[@]}"; do
            grep -E "^$server +$load +[0-9]+ +[0-9.]+[mu]s +[0-9.]+[mu]s +[0-9.]+m?s +[0-9.]+% +[0-9.]+us +0$" \
                "$OUT"
        done
    done
    prints '53,966     7.62ms     5.53ms    79.79ms       83%'
}

@test "an example says what went wrong, and leaves nothing behind" {
    MODES=nosuch CONNECTIONS=4 example echo-coroutines 200ms
    refute status_is 0
    says "no strategy or group is called 'nosuch'"
    leaves_nothing
    MODE=nosuch example echo-toolkit 1
    refute status_is 0
    says "no strategy or group is called 'nosuch'"
    leaves_nothing
}
