# What the command-line tests share.
#
# IOBENCH is the program under test, IOBENCH_SOURCE the source tree (which may be read-only),
# PYTHON_JSONSCHEMA a Python that has the module jsonschema, CC the compiler. All have defaults, so
# that `bats tests/cli` does after a build in build/.
#
# A run leaves its exit status in $status, standard output and error in the files $OUT and $ERR. A
# test that fails shows all three.
bats_require_minimum_version 1.5.0

IOBENCH=${IOBENCH:-$BATS_TEST_DIRNAME/../../build/iobench}
IOBENCH_SOURCE=${IOBENCH_SOURCE:-$BATS_TEST_DIRNAME/../..}
SCHEMA=$IOBENCH_SOURCE/src/report/iobench-1.schema.json
CC=${CC:-gcc}
OUT=$BATS_TEST_TMPDIR/stdout
ERR=$BATS_TEST_TMPDIR/stderr

# Rounds and trial time are always named, so that a test ends soon; --quick leaves the profile away.
FAST=(--quick --rounds=6 --trial-time=1ms)
SURE=(--quick --rounds=20 --trial-time=1ms) # enough for an interval that an outlier does not move
FASTER=(--quick --rounds=2 --trial-time=100us)

# A hang must become a failure. No test looks at a time that comes near it.
HANG=60

PYTHON=${PYTHON_JSONSCHEMA:-/usr/bin/python3}
[ "$PYTHON" != no ] && command -v "$PYTHON" >/dev/null || PYTHON=python3

BACKGROUND=()
DOCUMENTS=0
unset NO_COLOR LC_ALL LANG
export LC_ALL=C.UTF-8 TERM=${TERM:-dumb}

# A test may set this to a command that runs another: strace, env, ...
UNDER=()

# iobench ARGUMENT...: runs it as a script would; standard input is the caller's.
iobench() {
    LAST_RUN="${UNDER[*]} iobench $*"
    status=0
    timeout -s KILL $HANG "${UNDER[@]}" "$IOBENCH" "$@" >"$OUT" 2>"$ERR" 3>&- || status=$?
}

# json COMMAND ARGUMENT...: the same with --json; the document must be a valid one.
json() {
    iobench "$1" --json "${@:2}"
    is_report "$OUT"
}

# is_report FILE: one complete document, strictly JSON, that fits the schema. Looked at when the file
# of tests is through, all at once: a Python takes longer to start than iobench to measure.
is_report() {
    [ -s "$1" ] || fail 'no document'
    cp "$1" "$BATS_FILE_TMPDIR/document-of-test-$BATS_TEST_NUMBER.$BASHPID.$((++DOCUMENTS))"
}
teardown_file() {
    local documents=("$BATS_FILE_TMPDIR"/document-of-test-*)
    [ ! -e "${documents[0]}" ] ||
        "$PYTHON" "$BATS_TEST_DIRNAME/document.py" check "$SCHEMA" "${documents[@]}" </dev/null
}

# The figures of the last document, computed again from its trials, come out the same.
figures_hold() {
    "$PYTHON" "$BATS_TEST_DIRNAME/document.py" figures "$SCHEMA" "$OUT" </dev/null
}

# query FILTER [FILE]: what jq says of the document, raw.
query() {
    jq -r "$1" "${2:-$OUT}"
}

# Of a result: passes those that were measured and deliver their bytes to user space.
DELIVERED='def delivered: select(.params.consume != null and .status != "skipped");'

# holds FILTER [SHOW]: the filter is true of the document; otherwise SHOW says what is there instead.
holds() {
    jq -e "$DELIVERED $1" "$OUT" >/dev/null || fail "not so: $1" "$(jq -c "${2:-.results}" "$OUT" | cut -c -1500)"
}

fail() {
    printf '%s\n' "$@"
    return 1
}

# equal GOT EXPECTED [OF WHAT]
equal() {
    [ "$1" = "$2" ] || fail "${3:-value}: got '$1', expected '$2'"
}

# keys_written FILE: the keys that this file of src/report puts into a document, those of its notes included, sorted.
keys_written() {
    {
        cat "$IOBENCH_SOURCE/src/report/$1"
        sed -n '/^json_t \*json_notes(/,/^}/p' "$IOBENCH_SOURCE/src/report/json_facts.c"
    } | sed -nE 's/.*json_put\(d, o, "([a-z0-9_]+)".*/\1/p' | sort -u | xargs
}

status_is() {
    equal "$status" "$1" 'exit status'
}

# says TEXT: standard error holds it. prints TEXT: standard output does.
says() {
    [[ $(<"$ERR") == *"$1"* ]] || fail "standard error does not say '$1'"
}
prints() {
    [[ $(<"$OUT") == *"$1"* ]] || fail "standard output does not say '$1'"
}

says_nothing() {
    [ ! -s "$ERR" ] || fail 'standard error is not empty'
}
prints_nothing() {
    [ ! -s "$OUT" ] || fail 'standard output is not empty'
}

# refute COMMAND...: it fails ("! command" would not end a test).
refute() {
    ! "$@" || fail "unexpectedly: $*"
}

# The digest of a file as the reports write it.
digest() {
    command -v xxhsum >/dev/null || return 1
    xxhsum -H3 - <"$1" 2>/dev/null | sed -n 's/.*\([0-9a-f]\{16\}\).*/xxh3:\1/p'
}

need() {
    command -v "$1" >/dev/null || skip "$1 is not installed"
}

# Runs from here on are those of an ordinary user: root obeys permission bits once it has no
# capability left.
as_ordinary_user() {
    [ "$(id -u)" != 0 ] || UNDER=(setpriv --bounding-set=-all --inh-caps=-all --)
    touch "$BATS_TEST_TMPDIR/locked"
    chmod 000 "$BATS_TEST_TMPDIR/locked"
    "${UNDER[@]}" true 2>/dev/null || skip 'cannot give up the privileges of root'
    ! "${UNDER[@]}" cat "$BATS_TEST_TMPDIR/locked" 2>/dev/null || skip 'permission bits are not obeyed here'
}

# Processes whose command line holds MARK.
processes_with() {
    printf '%s' "$1" | grep -lsaF -f - /proc/[0-9]*/cmdline
}
no_process_with() { # one that was killed may take a moment to go
    local end=$((SECONDS + 5))
    while [ -n "$(processes_with "$1")" ]; do
        [ $SECONDS -le $end ] || fail "still there: $(processes_with "$1" | xargs)"
        sleep 0.05
    done
}

# eventually SECONDS COMMAND...: waits until the command succeeds.
eventually() {
    local end=$((SECONDS + $1))
    until "${@:2}" >/dev/null 2>&1; do
        [ $SECONDS -le $end ] || fail "not within $1 s: ${*:2}"
        sleep 0.05
    done
}

# at_terminal COLUMNS COMMAND: runs a shell command on a terminal; what it showed goes to $OUT.
at_terminal() {
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip 'no terminal can be made here'
    LAST_RUN="at a terminal of $1 columns: $2"
    status=0
    TERM=xterm timeout -s KILL $HANG script -qec "stty cols $1; $2" /dev/null \
        </dev/null >"$OUT.raw" 2>"$ERR" 3>&- || status=$?
    tr -d '\r' <"$OUT.raw" >"$OUT"
}

# What happened; bats prints it only when the test failed.
show_run() {
    [ -n "${LAST_RUN:-}" ] || return 0
    echo "last run: $LAST_RUN"
    echo "exit status: ${status:-none}"
    echo 'standard error:' && head -c 2000 "$ERR"
    echo 'standard output:'
    jq -c '{interrupted, errors, warnings, comparisons,
            results: [.results[] | {id, status, reason, verified, digest, trials: (.trials | length)}]}' \
        "$OUT" 2>/dev/null | head -c 3000 || head -c 2000 "$OUT" | cat -v
    echo
}

# in_background COMMAND...: runs it until the test ends, or its own end.
in_background() {
    "$@" >/dev/null 2>&1 3>&- &
    BACKGROUND+=($!)
}

teardown() {
    [ ${#BACKGROUND[@]} = 0 ] || kill "${BACKGROUND[@]}" 2>/dev/null || true
    show_run
}
