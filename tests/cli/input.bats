# Odd and bad input: what cannot be measured is said, named and counted; the rest is measured.

load common

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    seq 1 20000 >good # 108,894 bytes
    : >empty
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    GOOD=$BATS_FILE_TMPDIR/good
    EMPTY=$BATS_FILE_TMPDIR/empty
    SIZE=108894
    # short, where many modes are run
    LEAST=(--quick --rounds=1 --trial-time=100us)
}

# toggle FILE SIZE: cuts it to a byte and lets it grow again, over and over.
toggle() {
    while :; do
        truncate -s 1 "$1"
        truncate -s "$2" "$1"
        sleep 0.02
    done
}

good_is_measured() {
    holds "all(.results[]; .status == \"ok\" and (.verified == true or .params.consume == null))"
    holds "all(.results[].trials[]; .bytes == .passes * $SIZE)" '[.results[].trials[] | [.passes, .bytes]]'
}

# The message of an error names the file and the reason, once on standard error and once in the JSON.
error_is() { # CODE PATH REASON
    holds "[.errors[] | select(.code == \"$1\" and .path == \"$2\" and (.message | contains(\"$2\")
           and contains(\"$3\")))] | length == 1" .errors
    equal "$(grep -cF "'$2'" "$ERR")" 1 "messages about $2"
    says "'$2': $3"
}

# --- files that are not there, or not to be read

@test "a missing file is an error, and the others are measured" {
    json read "${FASTER[@]}" missing "$GOOD"
    status_is 3
    error_is ENOENT missing 'No such file or directory'
    good_is_measured
    holds '[.source.files[].path] | length == 1' .source
    [ ! -e missing ] || fail 'it was created'
}

@test "a missing file alone leaves a complete document" {
    json read "${FASTER[@]}" missing
    status_is 3
    error_is ENOENT missing 'No such file or directory'
    holds '.results == [] or all(.results[]; .status != "ok")'
    iobench read "${FASTER[@]}" missing
    status_is 3
    says "'missing': No such file or directory"
}

@test "a directory is an error, and the others are measured" {
    mkdir directory
    json read "${FASTER[@]}" "$GOOD" directory
    status_is 3
    error_is EISDIR directory 'Is a directory'
    good_is_measured
}

@test "a file in a place that is no directory is an error" {
    json read "${FASTER[@]}" "$GOOD" "$EMPTY/file"
    status_is 3
    error_is ENOTDIR "$EMPTY/file" 'Not a directory'
    good_is_measured
}

@test "an unreadable file is an error, and the others are measured" {
    as_ordinary_user
    echo secret >secret
    chmod 000 secret
    json read "${FASTER[@]}" secret "$GOOD"
    status_is 3
    error_is EACCES secret 'Permission denied'
    good_is_measured
}

@test "a read error between good files is recorded with its name" {
    json read "${FASTER[@]}" "$GOOD" /proc/self/mem missing
    status_is 3
    error_is EIO /proc/self/mem 'Input/output error'
    error_is ENOENT missing 'No such file or directory'
    good_is_measured
}

@test "a dangling link is an error that names the link" {
    ln -s nowhere link
    json read "${FASTER[@]}" link
    status_is 3
    error_is ENOENT link 'No such file or directory'
    [ ! -e nowhere ] || fail 'its target was created'
}

@test "a link is read like its target" {
    ln -s "$GOOD" link
    json read "${FASTER[@]}" link
    status_is 0
    good_is_measured
}

@test "a socket is an error" {
    "$PYTHON" -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
    json read "${FASTER[@]}" --mode=sysread --timeout=2s socket
    status_is 3
    says "'socket'"
}

@test "a reason is given once" {
    "$PYTHON" -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
    json read "${FASTER[@]}" --mode=sysread --timeout=2s socket
    holds '.results[0].reason | [match("No such device or address"; "g")] | length == 1' '.results[0].reason'
}

@test "the exit status is the same with and without --json" {
    for arguments in "$GOOD" "missing $GOOD" missing "$EMPTY" '--mode=mmap /proc/filesystems' /dev/zero \
        '--prepare=false '"$GOOD" '--mode=nothing '"$GOOD"; do
        iobench read "${LEAST[@]}" $arguments
        text=$status
        iobench read --json "${LEAST[@]}" $arguments
        equal "$status" "$text" "exit status of 'read --json $arguments'"
    done
}

# --- files whose size lies

@test "a file of /proc is read to its end, though its size says 0" {
    json read "${FASTER[@]}" --mode=all /proc/filesystems
    status_is 0
    size=$(wc -c </proc/filesystems)
    [ "$size" -gt 0 ]
    holds '.source.files[0].size_bytes == 0' .source
    holds "all(.results[].trials[]; .bytes == .passes * $size)" '[.results[] | [.id, .trials[0].bytes]]'
    holds '[.results[] | select(.status == "ok")] | length >= 9'
    holds 'all(.results[] | delivered; .verified == true)'
    holds 'all(.results[] | select(.mode | test("mmap")); .status == "skipped" and .trials == [])'
}

@test "mmap on /proc is refused when it was asked for by name" {
    for mode in mmap mmap-populate sysread,mmap; do
        json read "${FASTER[@]}" --mode=$mode /proc/filesystems
        status_is 3
        says '/proc/filesystems'
        holds '[.results[] | select(.mode | test("mmap"))][0]
               | .status == "skipped" and (.reason | test("map")) and .summary.bytes_per_s.median == null'
        holds '.errors | length == 1' .errors
    done
    holds '.results[0] | .mode == "sysread" and .status == "ok"'
}

@test "mmap on /proc is skipped where it stands in the default set" {
    json read "${FASTER[@]}" /proc/filesystems
    status_is 0
    holds '.errors == []' .errors
    holds '[.results[] | select(.mode == "mmap")][0] | .status == "skipped" and .reason != null'
    holds 'all(.comparisons[]; .id != "read/mmap" and .baseline != "read/mmap")' .comparisons
}

@test "/proc/self/maps is read although it is another one for each reader" {
    json read "${FASTER[@]}" --mode=all /proc/self/maps
    status_is 0
    holds '[.results[] | select(.status == "ok")] | length >= 9' '[.results[] | [.id, .status, .reason]]'
    holds 'all(.results[] | select(.status == "ok") | .trials[]; .bytes >= 500 * .passes)' \
        '[.results[] | [.id, (.trials[] | [.passes, .bytes])]]'
}

@test "a file of /sys is read as it is, though its size says 4096" {
    file=/sys/devices/system/cpu/possible
    [ -r $file ] || skip "there is no $file"
    json read "${FASTER[@]}" --mode=all $file
    status_is 0
    holds '.source.files[0].size_bytes == 4096' .source
    holds "all(.results[].trials[]; .bytes == .passes * $(wc -c <$file))"
    holds 'all(.results[] | delivered; .verified == true)'
}

@test "a file of /proc cannot be split between threads, and is not read wrongly" {
    json read "${FASTER[@]}" --mode=sysread --threads=2 /proc/filesystems
    status_is 3
    holds '.results[0] | .status == "skipped" and (.reason | test("threads"))'
}

# --- small, empty and sparse files

@test "an empty file has 0 bytes and no rate, and is no error" {
    json read "${FASTER[@]}" --mode=all "$EMPTY"
    status_is 0
    holds 'all(.results[]; .status == "ok" and (.verified == true or .params.consume == null))'
    holds 'all(.results[].trials[]; .bytes == 0 and .passes > 0 and .wall_ns > 0)'
    holds 'all(.results[].summary.bytes_per_s; .median == null and .n == 0)'
    holds 'all(.results[].summary.wall_ns_per_pass; .median > 0)'
    figures_hold
    iobench read "${FASTER[@]}" "$EMPTY"
    status_is 0
    refute grep -qiE 'nan|inf\b' "$OUT"
}

@test "an empty file with threads is no error" {
    json read "${FASTER[@]}" --mode=all --threads=3 "$EMPTY"
    status_is 0
    holds 'all(.results[].trials[]; .bytes == 0)'
}

@test "a file of one byte has a finite rate" {
    printf x >one
    json read "${FASTER[@]}" --mode=all one
    status_is 0
    holds 'all(.results[] | delivered; .verified == true and .summary.bytes_per_s.median > 0)'
    holds 'all(.results[].trials[]; .bytes == .passes)'
}

@test "sizes around a block are read exactly" {
    for size in 4095 4096 4097 8192 12289; do
        head -c $size "$GOOD" >"size-$size"
        json read "${LEAST[@]}" --mode=all -b 4096 size-$size
        status_is 0
        holds "all(.results[].trials[]; .bytes == .passes * $size)" '[.results[] | [.id, .trials[0]]]'
        holds 'all(.results[] | delivered; .verified == true)'
    done
}

@test "a sparse file is read with its holes" {
    truncate -s 10M sparse
    printf end >>sparse
    json read "${LEAST[@]}" --mode=all sparse
    status_is 0
    holds 'all(.results[].trials[]; .bytes == .passes * 10485763)' '[.results[] | [.id, .trials[0]]]'
    holds 'all(.results[] | delivered; .verified == true)'
    holds '.source.files[0].size_bytes == 10485763' .source
}

@test "empty files beside others change nothing" {
    json read "${LEAST[@]}" --mode=all "$EMPTY" "$GOOD" "$EMPTY"
    status_is 0
    good_is_measured
}

@test "/dev/null is empty" {
    json read "${FASTER[@]}" --mode=sysread,fread,getc /dev/null
    status_is 0
    holds 'all(.results[].trials[]; .bytes == 0)'
    holds 'all(.results[].summary.bytes_per_s; .median == null)'
}

@test "/dev/zero without --bytes is refused: it has no end" {
    for device in /dev/zero /dev/full /dev/urandom; do
        iobench read --json "${FASTER[@]}" --mode=sysread $device
        status_is 2
        prints_nothing
        says "$device"
        says '--bytes'
    done
}

@test "getline is kept from a source without end" {
    json read "${FASTER[@]}" --mode=getline --bytes=1M /dev/zero
    status_is 3
    holds '.results[0] | .status == "skipped" and (.reason | test("/dev/zero"))'
}

@test "an offset beyond the end reads 0 bytes, with every strategy" {
    json read "${LEAST[@]}" --mode=all --offset=1G "$GOOD"
    status_is 0
    holds 'all(.results[].trials[]; .bytes == 0)' '[.results[] | [.id, .trials[0].bytes]]'
    holds 'all(.results[].summary.bytes_per_s; .median == null)'
}

@test "an offset at the very end reads 0 bytes, with every strategy" {
    json read "${LEAST[@]}" --mode=all --offset=$SIZE --threads=1,2 "$GOOD"
    status_is 0
    holds 'all(.results[].trials[]; .bytes == 0)' '[.results[] | [.id, .trials[0].bytes]]'
}

@test "more --bytes than the file holds is said, and the file is read" {
    json read "${LEAST[@]}" --mode=all --bytes=1G "$GOOD"
    status_is 0
    good_is_measured
    holds '[.warnings[] | select(.code == "short_source" and (.message | contains("108894")))] | length == 1' .warnings
    says 108894
}

@test "as many --bytes as the file holds is no warning" {
    json read "${LEAST[@]}" --mode=all --bytes=$SIZE "$GOOD"
    status_is 0
    good_is_measured
    holds '[.warnings[] | select(.code == "short_source")] == []' .warnings
}

# --- files that change

@test "a file that is cut while it is mapped costs that case, not the run" {
    truncate -s 64M cut
    in_background toggle cut 64M
    # nearly every pass is hit; one that is cut between two passes reads another size instead
    for attempt in {1..10}; do
        json read --quick --warmup=0 --rounds=50 --trial-time=20ms --mode=mmap "$PWD/cut"
        status_is 3
        holds '.results[0] | .status == "failed" or .status == "invalid"'
        grep -q SIGBUS "$ERR" && break
    done
    holds '.results[0] | .status == "failed" and (.reason | test("SIGBUS"))'
    says SIGBUS
    says mmap
}

@test "a file that is cut while it is read kills nothing" {
    truncate -s 16M cut
    in_background toggle cut 16M
    json read --quick --rounds=20 --trial-time=10ms --mode=sysread,pread,fread cut
    [ "$status" = 3 ] || [ "$status" = 0 ] || fail "exit status $status"
    holds 'all(.results[]; .status != "failed")'
    # what is both verified and ok had the same bytes in every pass
    holds 'all(.results[] | select(.verified == true and .status == "ok");
               [.trials[] | .bytes / .passes] | unique | length == 1)' \
        '[.results[] | [.id, .verified, .status, ([.trials[] | .bytes / .passes] | unique)]]'
}

@test "a file that grows is not passed off as verified" {
    cp "$GOOD" growing
    grow() {
        while :; do
            head -c 1000 "$GOOD" >>growing
            sleep 0.01
        done
    }
    in_background grow
    json read --quick --rounds=20 --trial-time=5ms --mode=sysread,mmap,getline growing
    holds 'all(.results[] | select(.verified == true and .status == "ok");
               [.trials[] | .bytes / .passes] | unique | length == 1)' \
        '[.results[] | [.id, .verified, .status, ([.trials[] | .bytes / .passes] | unique)]]'
    holds '(.warnings + .errors | length) > 0' '[.warnings, .errors]'
}

@test "a file that changes once between trials is found out" {
    cp "$GOOD" changing
    # the reference reading, the verification and the first warm-up come before the third trial
    json read --quick --rounds=8 --trial-time=1ms --mode=sysread \
        --prepare='echo >>count; [ $(wc -l <count) != 5 ] || echo more >>changing' changing
    status_is 3
    holds '.results[0] | .status == "invalid" and (.reason | test("changed"))'
    says changed
}

# --- FIFOs and standard input

@test "a FIFO gives one case one trial, and nothing to verify it with" {
    mkfifo fifo
    head -c 30000 "$GOOD" >fifo 3>&- &
    json read "${FAST[@]}" --mode=sysread fifo
    status_is 0
    holds '.results[0] | .verified == null and (.trials | length == 1)
           and .trials[0].bytes == 30000 and .trials[0].passes == 1 and .trials[0].warmup == false'
    holds '.results[0].summary.bytes_per_s | .n == 1 and .stddev == null'
    holds '.comparisons == [] and .results[0].profile == null'
    holds '.source.files[0].size_bytes == 0 and .source.files[0].resident_ratio == null' .source
}

@test "every strategy that needs no position reads a FIFO to its end" {
    mkfifo fifo
    for mode in sysread readv fread fread-unlocked getc getc-unlocked fgets getline; do
        head -c 30000 "$GOOD" >fifo 3>&- &
        json read "${FAST[@]}" --mode=$mode fifo
        status_is 0
        holds '.results[0].trials | length == 1 and .[0].bytes == 30000'
    done
}

@test "lines from a FIFO are counted, NUL bytes or not" {
    mkfifo fifo
    for mode in fgets getline getc fread; do
        printf 'here\0x\ny\n\0\nlast' >fifo 3>&- &
        json read "${FAST[@]}" --mode=$mode --consume=lines fifo
        holds '.results[0].trials[0] | .bytes == 15 and .newlines == 3' '.results[0].trials'
    done
}

@test "strategies that need a position are kept from a FIFO, without waiting for it" {
    mkfifo fifo
    for mode in pread mmap mmap-populate; do
        json read "${FAST[@]}" --mode=$mode fifo
        status_is 3
        holds '.results[0] | .status == "skipped" and (.reason | test("fifo"))'
    done
}

@test "short reads from a FIFO are no end, and are counted" {
    mkfifo fifo
    { printf ab && sleep 0.4 && printf cd; } >fifo 3>&- &
    json read "${FAST[@]}" --mode=sysread fifo
    holds '.results[0].trials[0] | .bytes == 4 and .calls == 3 and .short_calls == 2' '.results[0].trials'
}

@test "a byte limit on a FIFO is exact, whatever the pieces" {
    mkfifo fifo
    dd if=/dev/zero bs=1000 count=3000 of=fifo status=none 2>/dev/null 3>&- &
    json read "${FAST[@]}" --mode=sysread -b 64k --bytes=1048576 fifo
    status_is 0
    holds '.results[0].trials[0] | .bytes == 1048576 and .calls >= 16' '.results[0].trials'
    for options in '--mode=fread -b 64k' --mode=getc '--mode=fgets -b 64k'; do
        dd if=/dev/zero bs=1000 count=100 of=fifo status=none 2>/dev/null 3>&- &
        json read "${FAST[@]}" $options --bytes=70001 fifo
        holds '.results[0].trials[0].bytes == 70001' '.results[0].trials'
    done
}

@test "a FIFO that nobody writes to ends by --timeout and leaves nobody" {
    mkfifo "$BATS_TEST_TMPDIR/fifo-of-nobody"
    SECONDS=0
    json read "${FAST[@]}" --mode=sysread --timeout=300ms "$BATS_TEST_TMPDIR/fifo-of-nobody"
    status_is 3
    [ $SECONDS -lt 20 ] || fail "took $SECONDS s"
    holds '.results[0] | .status == "failed" and .trials == [] and (.reason | test("0.3 s"))'
    holds '.errors | length == 1 and .[0].code == "ETIMEDOUT"' .errors
    no_process_with "$BATS_TEST_TMPDIR/fifo-of-nobody"
}

@test "a time that ran out is not called a connection" {
    mkfifo fifo
    iobench read "${FAST[@]}" --mode=sysread --timeout=200ms fifo
    status_is 3
    refute grep -i connection "$ERR"
}

@test "several cases on a FIFO are refused before it is opened" {
    mkfifo fifo
    for options in --mode=sysread,readv '--mode=sysread -b 4k,8k' --quick; do
        iobench read --json "${FAST[@]}" $options fifo
        status_is 2
        prints_nothing
        says '--mode'
    done
}

@test "a FIFO beside a file makes one pass of both" {
    mkfifo fifo
    head -c 1000 "$GOOD" >fifo 3>&- &
    json read "${FAST[@]}" --mode=sysread "$GOOD" fifo
    status_is 0
    holds ".results[0].trials | length == 1 and .[0].bytes == $((SIZE + 1000))" '.results[0].trials'
}

@test "standard input that is a file is read again and again" {
    json read "${FASTER[@]}" - <"$GOOD"
    status_is 0
    good_is_measured
    holds '.source.files[0] | .path == "-" and .size_bytes == 108894' .source
    holds '.results | length >= 4'
}

@test "standard input that is a file is read from where it stands" {
    { dd bs=1000 count=1 of=/dev/null status=none && json read "${FASTER[@]}" - ; } <"$GOOD"
    status_is 0
    holds "all(.results[].trials[]; .bytes == .passes * $((SIZE - 1000)))"
    holds 'all(.results[] | delivered; .verified == true)'
}

@test "standard input that is a pipe is read once" {
    cat "$GOOD" | { json read "${FAST[@]}" --mode=sysread -; echo "$status" >status; }
    equal "$(cat status)" 0 'exit status'
    holds ".results[0].trials | length == 1 and .[0].bytes == $SIZE" '.results[0].trials'
    holds '.results[0].verified == null'
}

@test "getline reads a last line without newline from a pipe" {
    printf 'a\nb' | json stdio "${FAST[@]}" --mode=getline --consume=lines -
    holds '.results[0].trials[0] | .bytes == 3 and .newlines == 1' '.results[0].trials'
}

@test "several cases on a pipe are refused" {
    printf x | { iobench read --json "${FAST[@]}" -; echo "$status" >status; }
    equal "$(cat status)" 2 'exit status'
    prints_nothing
}

@test "standard input that is closed is an error, not an empty file" {
    json read "${FASTER[@]}" --mode=sysread - <&-
    status_is 3
    holds '.errors | length == 1' .errors
}

@test "a closed standard input does not hurt the reading of files" {
    json read "${FASTER[@]}" "$GOOD" <&-
    status_is 0
    good_is_measured
}

@test "standard input that is a directory is an error" {
    json read "${FASTER[@]}" --mode=sysread - <.
    status_is 3
    holds '.errors | length == 1 and .[0].code == "EISDIR"' .errors
}

# --- names

@test "a file name that is not UTF-8 makes valid JSON and a warning" {
    name=$'caf\xe9'
    cp "$GOOD" "$name" || skip 'this file system takes no such name'
    json read "${LEAST[@]}" --mode=all "$name"
    status_is 0
    good_is_measured
    equal "$(query '.source.files[0].path')" 'café' 'path in JSON'
    holds '[.warnings[] | select(.code == "not_utf8")] | length == 1' .warnings
    json read "${LEAST[@]}" --mode=sysread $'no\xff\xfe'
    status_is 3
    holds '.errors[0].path == "no\u00ff\u00fe"' .errors
}

@test "a file name in UTF-8 stays as it is" {
    cp "$GOOD" 'né – 日本'
    json read "${LEAST[@]}" --mode=sysread 'né – 日本'
    equal "$(query '.source.files[0].path')" 'né – 日本' 'path in JSON'
    holds '[.warnings[] | select(.code == "not_utf8")] | length == 0' .warnings
}

@test "newlines, quotes and escapes in a file name are data" {
    names=($'new\nline' 'quo"te' "apos'trophe" 'back\slash' $'esc\e[31m' 'per%s%n' ' space ' '{}' '*')
    for name in "${names[@]}"; do cp "$GOOD" "$name"; done
    json read "${LEAST[@]}" --mode=sysread "${names[@]}" 'miss"ing'
    status_is 3
    holds "all(.results[].trials[]; .bytes == .passes * ${#names[@]} * $SIZE)"
    equal "$(query '[.source.files[].path] | tojson')" "$(jq -cn '$ARGS.positional' --args -- "${names[@]}")"
    holds '.errors[0].path == "miss\"ing"' .errors
}

@test "a file whose name begins with a dash stands behind --" {
    cp "$GOOD" -- --json
    iobench read "${LEAST[@]}" --mode=sysread --json -- --json
    is_report "$OUT"
    status_is 0
    good_is_measured
    cp "$GOOD" -- -
    json read "${LEAST[@]}" --mode=sysread ./-
    status_is 0
    good_is_measured
}

@test "a name of 4000 letters is refused with its reason" {
    json read "${LEAST[@]}" --mode=sysread "$(printf 'x%.0s' {1..4000})"
    status_is 3
    holds '.errors[0].code == "ENAMETOOLONG" and (.errors[0].message | test("File name too long"))' .errors
}

@test "five hundred files make one pass" {
    mkdir many
    for i in {1..500}; do echo $i >many/$i; done
    json read "${LEAST[@]}" --mode=all many/*
    status_is 0
    holds "all(.results[].trials[]; .bytes == .passes * $(cat many/* | wc -c))"
    holds '.source.files | length == 500'
    holds 'all(.results[] | delivered; .verified == true)'
}

# --- --prepare

@test "--prepare runs before each trial, and its output stays out of the report" {
    json read --quick --rounds=3 --trial-time=1ms --mode=sysread,pread \
        --prepare='echo ran >>ran; echo to standard output' "$GOOD"
    status_is 0
    good_is_measured
    [ "$(wc -l <ran)" -ge 8 ] || fail "it ran $(wc -l <ran) times"
    equal "$(query '.options.prepare')" 'echo ran >>ran; echo to standard output'
}

@test "--prepare stays out of the timed part" {
    json read --quick --rounds=2 --trial-time=1ms --mode=sysread --prepare='sleep 0.2' "$GOOD"
    status_is 0
    holds 'all(.results[].trials[]; .wall_ns < 2e8)' '.results[0].trials'
}

@test "a --prepare that fails makes failed cases, and says which command it was" {
    json read "${FASTER[@]}" --mode=sysread,getc --prepare='exit 7' "$GOOD"
    status_is 3
    says "'exit 7'"
    holds 'all(.results[]; .status == "failed" and (.reason | test("status 7")) and .trials == [])'
    holds '.errors | length == 2 and all(.[]; .code == "prepare")' .errors
    holds '.comparisons == []' .comparisons
}

@test "a --prepare that hangs ends by --timeout with all that it started" {
    mark=271.$BASHPID SECONDS=0
    json read "${FASTER[@]}" --mode=sysread --timeout=300ms --prepare="sleep $mark & sleep $mark; :" \
        "$GOOD"
    status_is 3
    [ $SECONDS -lt 20 ] || fail "took $SECONDS s"
    holds '.results[0] | .status == "failed"'
    no_process_with "$mark"
}

@test "what --prepare does is seen by the trial" {
    json read --quick --rounds=2 --trial-time=1ms --mode=sysread --prepare="cp '$GOOD' fresh" fresh "$GOOD"
    status_is 3 # it was not there when the run began
    touch fresh
    json read --quick --rounds=2 --trial-time=1ms --mode=sysread --warmup=0 \
        --prepare="cp '$GOOD' fresh" fresh
    status_is 0
    holds "all(.results[].trials[]; .bytes == .passes * $SIZE)" '.results[].trials'
}

@test "a report of nothing claims no rounds" {
    iobench read "${FASTER[@]}" --prepare=false "$GOOD"
    status_is 3
    refute grep -E '[1-9][0-9]* (round|trial)' "$OUT"
}
