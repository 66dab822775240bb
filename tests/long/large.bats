# Files and blocks beyond 2 and 4 GiB: make check-long. Needs some 12 GiB of memory.
#
# The files are sparse, in the tests' own folder, and gone afterwards.

setup() {
    : "${IOBENCH:?names the program under test}"
    FILE=$BATS_TEST_TMPDIR/large
    truncate -s 5G "$FILE"
}

# read OPTION...: one trial of the file; the document is in $JSON.
read_large() {
    JSON=$("$IOBENCH" read --json --quick --rounds=1 --warmup=0 --trial-time=1ns --timeout=10m "$@" \
        "$FILE" 2>"$BATS_TEST_TMPDIR/stderr") || {
        cat "$BATS_TEST_TMPDIR/stderr"
        return 1
    }
}

trial() {
    jq ".results[0].trials[-1].$1" <<<"$JSON"
}

@test "5 GiB are read exactly, with the usual block" {
    for mode in sysread pread fread mmap io_uring; do
        read_large --mode=$mode
        [ "$(trial bytes)" -eq 5368709120 ] || { echo "$mode: $(trial bytes)"; false; }
    done
}

@test "a block of 2 GiB takes several calls, and the bytes are exact" {
    read_large --mode=sysread --bytes=2G -b 2G
    [ "$(trial bytes)" -eq 2147483648 ]
    [ "$(trial calls)" -ge 2 ]
    [ "$(trial short_calls)" -ge 1 ]
}

@test "a block of 5 GiB is no smaller one in disguise" {
    read_large --mode=sysread -b 5G
    [ "$(jq '.results[0].params.block_size' <<<"$JSON")" -eq 5368709120 ]
    [ "$(trial bytes)" -eq 5368709120 ]
}

@test "an offset beyond 4 GiB reads what is left" {
    for mode in sysread pread fread getline mmap; do
        read_large --mode=$mode --offset=5368000000
        [ "$(trial bytes)" -eq 709120 ] || { echo "$mode: $(trial bytes)"; false; }
    done
}

@test "threads share 5 GiB without losing a byte" {
    read_large --mode=sysread --threads=3
    [ "$(trial bytes)" -eq 5368709120 ]
}

@test "a message of 1 GiB is echoed whole, in memory that is bounded" {
    JSON=$("$IOBENCH" echo --json --quiet --quick --mode=epoll,thread --rounds=1 --warmup=0 --trial-time=1ns \
        --connections=1 --requests=1 --message-size=1G --timeout=10m)
    [ "$(jq '[.results[] | .status == "ok" and all(.trials[]; .bytes == .requests * 1073741824)] | all' <<<"$JSON")" = true ]
    [ "$(jq '[.results[].trials[] | .peak_rss_bytes, .peer.peak_rss_bytes] | max < 100000000' <<<"$JSON")" = true ]
}
