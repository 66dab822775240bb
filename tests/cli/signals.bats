# Interruption: what is known comes out, and nothing stays behind.

load common

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    seq 1 20000 >text
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR/text" text
    MARK=run-$BASHPID-$BATS_TEST_NUMBER # on the command line of all processes of this test's run
}

# start ARGUMENT...: the run goes on beside the test; $RUN is its process. A shell has its background
# jobs ignore INT: not here.
start() {
    LAST_RUN="iobench $*"
    status=none
    env --default-signal=INT,HUP,TERM "${UNDER[@]}" "$IOBENCH" "$@" --progress=always \
        --label=mark="$MARK" >"$OUT" 2>"$ERR" 3>&- &
    RUN=$!
    BACKGROUND+=($RUN)
}
ended() {
    status=0
    wait $RUN || status=$?
}

# Progress says how far it is.
is_measuring() {
    grep -qa 'measuring.*round [3-9]' "$ERR"
}
is_reading() {
    has_child && grep -qaE 'verifying|warming|measuring' "$ERR"
}

# interrupted SIGNAL WHEN ARGUMENT...: a run that gets the signal once WHEN is true.
interrupted() {
    start "${@:3}"
    eventually 30 "$2"
    [ "$2" = is_measuring ] || sleep 0.2 # the child has begun by then
    kill -"$1" $RUN
    ended
}

children_of() {
    local process
    for process in $(processes_with "$MARK"); do
        process=${process#/proc/}
        process=${process%/cmdline}
        [ "$process" = "$1" ] || echo "$process"
    done
}
has_child() {
    [ -n "$(children_of "$RUN")" ]
}
stop_child() {
    local child
    child=$(children_of "$RUN" | head -n 1)
    [ -n "$child" ] && kill -STOP "$child" && grep -q '^State:.*T (stopped)' "/proc/$child/status"
}

@test "timeout -s TERM gets the bytes that were read until then" {
    LAST_RUN='timeout -s TERM 1 iobench read'
    status=0
    timeout --preserve-status -k $HANG -s TERM 1 "$IOBENCH" read --bytes=1T --mode=sysread /dev/zero \
        --json --label=mark="$MARK" >"$OUT" 2>"$ERR" 3>&- || status=$?
    status_is 143
    is_report "$OUT"
    holds '.interrupted == true and ([.results[].trials[].bytes] | add) > 0' '.results[0].trials'
    no_process_with "$MARK"
}

@test "TERM, INT and HUP end a long run with what was read until then" {
    for signal in TERM:143 INT:130 HUP:129; do
        interrupted ${signal%:*} is_reading read --json --bytes=1T --mode=sysread /dev/zero
        status_is ${signal#*:}
        is_report "$OUT"
        holds '.interrupted == true'
        holds '[.results[].trials[].bytes] | add > 0' '.results[0].trials'
        no_process_with "$MARK"
    done
}

@test "TERM and INT end a run of many trials with those that were complete" {
    for signal in TERM:143 INT:130 HUP:129; do
        interrupted ${signal%:*} is_measuring read --json --trial-time=2ms --rounds=1000000 --mode=sysread,getc text
        status_is ${signal#*:}
        is_report "$OUT"
        holds '.interrupted == true'
        holds 'all(.results[]; .summary.bytes_per_s.n > 0 and .verified == true)' \
            '[.results[] | [.id, .summary.bytes_per_s.n]]'
        holds "all(.results[].trials[] | select(.complete); .bytes == .passes * $(wc -c <text))"
        figures_hold
        no_process_with "$MARK"
    done
}

@test "an interrupted document has the keys of a finished one" {
    keys='[paths | map(if type == "number" then 0 else . end)
           | select(.[0] != "warnings" and .[0] != "errors" and .[0] != "labels")] | unique'
    interrupted TERM is_measuring read --json --quick --trial-time=1ms --rounds=1000000 --mode=sysread,getc text
    query "$keys" >cut
    json read "${FAST[@]}" --mode=sysread,getc text
    query "$keys" >whole
    diff whole cut
}

@test "a trial that was cut is marked, and does not count" {
    interrupted TERM is_reading read --json --warmup=0 --bytes=1T --mode=sysread /dev/zero
    status_is 143
    is_report "$OUT"
    holds '.results[0].trials | length == 1 and .[0].complete == false and .[0].bytes > 0
           and .[0].passes == 0' '.results[0].trials'
    holds '.results[0].summary.bytes_per_s | .n == 0 and .median == null'
}

@test "the text report of an interrupted run says what was read" {
    interrupted INT is_measuring read --trial-time=2ms --rounds=1000000 --mode=sysread,getc text
    status_is 130
    grep -qE '^ +sysread .* [kMG]B/s' "$OUT" || fail 'no row'
    interrupted INT is_reading read --warmup=0 --bytes=1T --mode=sysread /dev/zero
    status_is 130
    grep -qE 'sysread had read [0-9.]+ [KMGT]iB' "$OUT" || fail 'it does not say how far it came'
}

@test "a run that is interrupted still writes its exports" {
    interrupted TERM is_measuring read --trial-time=2ms --rounds=1000000 --mode=sysread,getc --export=cut.json \
        --export=cut.csv text
    status_is 143
    is_report cut.json
    equal "$(query .interrupted cut.json)" true
    [ "$(wc -l <cut.csv)" -gt 3 ] || fail "rows: $(wc -l <cut.csv)"
}

@test "a signal counts more than an error" {
    interrupted TERM is_measuring read --json --trial-time=2ms --rounds=1000000 --mode=sysread missing text
    status_is 143
    is_report "$OUT"
    holds '.errors | length == 1' .errors
}

@test "an interrupt while nobody writes to a FIFO ends the run" {
    mkfifo fifo
    interrupted INT has_child read --json --mode=sysread fifo
    status_is 130
    is_report "$OUT"
    holds '.interrupted == true'
    no_process_with "$MARK"
}

@test "an interrupt during --prepare ends the run and the command" {
    interrupted TERM has_child read --json --rounds=3 --mode=sysread --prepare="sleep 314.$BASHPID; :" text
    status_is 143
    is_report "$OUT"
    no_process_with "314.$BASHPID"
    no_process_with "$MARK"
}

@test "no file is left where one was made" {
    mkdir made
    export TMPDIR=$PWD/made
    for signal in INT TERM; do
        interrupted $signal is_measuring read --json --trial-time=2ms --rounds=1000000 --mode=sysread
        equal "$(ls -A made)" '' "left after $signal"
        is_report "$OUT"
        holds .source.made
    done
    iobench read "${FASTER[@]}" --mode=sysread
    equal "$(ls -A made)" '' 'left after a usual end'
    iobench read "${FASTER[@]}" --mode=sysread --prepare=false
    equal "$(ls -A made)" '' 'left after a failure'
}

@test "the file that is made has no name while it is read" {
    mkdir made
    export TMPDIR=$PWD/made
    start read --json --trial-time=2ms --rounds=1000000 --mode=sysread
    eventually 30 has_child
    equal "$(ls -A made)" '' 'in the directory'
    kill -TERM $RUN
    ended
    status_is 143
}

@test "KILL leaves no process and no file" {
    mkdir made
    export TMPDIR=$PWD/made
    start read --json --trial-time=50ms --rounds=1000000 --mode=sysread,getc
    eventually 30 has_child
    kill -KILL $RUN
    ended
    status_is 137
    no_process_with "$MARK"
    equal "$(ls -A made)" '' 'left'
}

@test "KILL leaves no trial that would go on for minutes" {
    start read --json --warmup=0 --rounds=1 --bytes=1T --mode=sysread,getc /dev/zero
    eventually 30 is_reading
    kill -KILL $RUN
    ended
    status_is 137
    no_process_with "$MARK"
}

@test "KILL leaves no command of --prepare" {
    sleeps() {
        local process
        for process in $(processes_with "161.$NUMBER"); do
            grep -qx sleep "${process%cmdline}comm" && return 0
        done
        return 1
    }
    NUMBER=$BASHPID
    start read --json --rounds=3 --mode=sysread --prepare="exec sleep 161.$NUMBER" text
    eventually 30 sleeps
    kill -KILL $RUN
    ended
    no_process_with "161.$NUMBER"
}

@test "a trial that is stopped ends by --timeout" {
    start read --json --quick --rounds=1 --warmup=0 --bytes=1T --timeout=2s --mode=sysread /dev/zero
    eventually 30 stop_child
    ended
    status_is 3
    is_report "$OUT"
    holds '.results[0] | .status == "failed" and (.reason | test("2 s"))'
    no_process_with "$MARK"
}

@test "a run whose trial is stopped can be interrupted" {
    start read --json --quick --rounds=1 --warmup=0 --bytes=1T --mode=sysread /dev/zero
    eventually 30 stop_child
    kill -TERM $RUN
    ended
    status_is 143
    is_report "$OUT"
    holds '.interrupted == true'
    no_process_with "$MARK"
}

@test "a trial that is killed costs its case, not the run" {
    start read --json --quick --rounds=1 --warmup=0 --bytes=1T --mode=sysread /dev/zero
    kill_child() {
        local child
        child=$(children_of "$RUN" | head -n 1)
        [ -n "$child" ] && kill -KILL "$child"
    }
    eventually 30 has_child
    sleep 0.3
    eventually 30 kill_child
    ended
    status_is 3
    is_report "$OUT"
    holds '.results[0] | .status == "failed" and (.reason | test("SIGKILL"))'
    says SIGKILL
}

@test "nohup is respected" {
    UNDER=(env --ignore-signal=HUP)
    start read --json --quick --rounds=100 --trial-time=5ms --mode=sysread text
    eventually 30 is_measuring
    kill -HUP $RUN
    ended
    status_is 0
    is_report "$OUT"
    holds '.interrupted == false and .results[0].summary.bytes_per_s.n == 100'
}

@test "Ctrl-C at a terminal prints the partial report" {
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip 'no terminal can be made here'
    LAST_RUN='Ctrl-C at a terminal'
    status=0
    mkfifo keys
    # the terminal's keyboard is a pipe: Ctrl-C is typed once the run is seen to measure
    TERM=xterm timeout -s KILL $HANG env --default-signal=INT script -qefc \
        "'$IOBENCH' read --trial-time=2ms --rounds=1000000 --mode=sysread,getc --label=mark=$MARK text" \
        screen <keys >/dev/null 2>&1 3>&- &
    RUN=$!
    BACKGROUND+=($RUN)
    exec 7>keys
    eventually 20 grep -q 'measuring.*round [2-9]' screen
    printf '\003' >&7
    ended
    exec 7>&-
    tr -d '\r' <screen >"$OUT"
    : >"$ERR"
    status_is 130
    grep -qE '^(.\[[0-9;]*m)* +sysread .* [kMG]B/s' "$OUT" || fail 'no report'
    no_process_with "$MARK"
}
