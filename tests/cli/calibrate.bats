# iobench calibrate: what it measures, what it writes, and what compare makes of that.

load common

SCHEMA=$IOBENCH_SOURCE/src/report/iobench-calibrate-1.schema.json
SHORT=(--time-limit=1500ms --quiet)

setup_file() {
    export IOBENCH IOBENCH_SOURCE
    cd "$BATS_FILE_TMPDIR"
    yes 'a line of text' | head -n 10000 >text
    "$IOBENCH" calibrate --time-limit=6s --json --quiet text >calibrated.json
    for run in base new; do
        "$IOBENCH" read --quick --rounds=8 --trial-time=100us --mode=sysread,fread --baseline=sysread \
            --json --quiet text >$run.json
    done
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR"/*.json .
    ln -sf "$BATS_FILE_TMPDIR/text" text
}

# change FILTER: the calibration, otherwise than it was measured.
change() {
    jq ".run_noise.relative.noise_ratio = 0.05 | .run_noise.absolute.noise_ratio = 0.3 | $1" \
        "$BATS_FILE_TMPDIR/calibrated.json" >calibrated.json
}

# compare ARGUMENT...: the recorded runs, with --json; the document must fit its schema.
compare() {
    iobench compare --json "$@" base.json new.json </dev/null
    local SCHEMA=$IOBENCH_SOURCE/src/report/iobench-compare-1.schema.json
    "$PYTHON" "$BATS_TEST_DIRNAME/document.py" check "$SCHEMA" "$OUT"
}

# refused SENTENCE ARGUMENT...
refused() {
    compare "${@:2}"
    status_is 3
    says "$1"
    holds '.verdict == null and (.errors | length) == 1' .errors
}

# --- what it measures

@test "rounds of equal cases become gates and effects, and runs become noise" {
    cp calibrated.json "$OUT"
    is_report "$OUT"
    holds '.interrupted == false and .errors == [] and .rounds > 0'
    holds '.gates | .false_alarms <= .n and .settled <= .n and (.n == 0 or .false_alarm_low_ratio <= .false_alarms / .n)'
    holds '[.effects[].time_ns] == [1e9, 5e9, 20e9]'
    # on a busy machine there may be no second of rounds, or too few of them for an interval
    holds '.effects[0] | .misses <= .windows and (.windows > 0 or .half_width_ratio == null)
        and (.smallest_ratio == null or .smallest_ratio >= 0)' .effects
    holds '.options.max_slowdown_ratio as $d | .effects[0] | .smallest_ratio == null
        or (.gate_finds_ratio - ((1 + $d) * (1 + .smallest_ratio) - 1) | fabs) < 1e-12' .effects
    holds '.effects[2] | .windows == 0 and .half_width_ratio == null and .smallest_ratio == null and .gate_finds_ratio == null'
    holds '.rounds_ns <= .elapsed_ns and (.effects[0].windows * 1e9) <= .rounds_ns * 1.1'
    holds '.run_noise | .runs >= 1 and .runs <= 3 and .control == "read/sysread/block_size=131072"' .run_noise
    holds '.run_noise | .runs as $n | .relative, .absolute | ($n < 2) == (.id == null)
        and ($n < 2 or (.noise_ratio > .stddev_ratio and .range_ratio > 0 and (.id | startswith("read/"))))' .run_noise
    # t of one and of two degrees of freedom
    holds '.run_noise | .runs as $n | [0, 0, 12.7062, 4.30265][$n] as $t | .relative, .absolute
        | $n < 2 or (.noise_ratio - ((.stddev_ratio * $t * (2 | sqrt) | exp) - 1) | fabs) < 1e-4 * (1 + .noise_ratio)' .run_noise
    holds '.host.clock_read_ns > 0 and (.host | has("steal_ratio"))' .host
}

@test "the time limit is that of all, and no gate of so short a time is warned about" {
    before=$(date +%s%N)
    json calibrate --time-limit=500ms text
    status_is 0
    [ $(($(date +%s%N) - before)) -lt 20000000000 ] || fail 'it went on'
    holds '[.warnings[].code] | index("no_gate") != null' .warnings
    says 'no gate came to its end'
    holds '.gates | .n == 0 and .false_alarm_low_ratio == null and .time_median_ns == null' .gates
}

@test "without a FILE it makes one, and says so" {
    iobench calibrate --time-limit=500ms --export=x.json
    status_is 0
    says 'no FILE given: reading 16 MiB made for this run'
    prints 'a file made for this run: 16 MiB'
    prints 'a clock reading costs'
    prints 'found where 2 % is allowed'
    is_report x.json
    jq -e '.source.made and .source.size_bytes == 16777216' x.json >/dev/null
    iobench calibrate --time-limit=500ms --quiet --max-slowdown=7 text
    says_nothing
    prints 'found where 7 % is allowed'
}

@test "a signal ends it with what was measured until then" {
    for signal in INT:130 TERM:143; do
        env --default-signal=INT,TERM "$IOBENCH" calibrate --time-limit=1m --json --quiet --progress=always text \
            >"$OUT" 2>"$ERR" 3>&- &
        BACKGROUND+=($!)
        eventually 40 grep -qa 'equal cases: .* round [1-9]' "$ERR"
        kill -${signal%:*} $!
        status=0
        wait $! || status=$?
        status_is ${signal#*:}
        is_report "$OUT"
        holds '.interrupted == true and .run_noise.runs >= 1' .run_noise
    done
}

@test "progress says how far it is" {
    iobench calibrate --time-limit=8s --quiet --progress=always text
    status_is 0
    says 'runs: sysread, round'
    says 'equal cases: sysread'
    says 'of at most 8 s'
}

# --- what it refuses

@test "calibrate refuses what makes no sense with exit 2, and nothing on standard output" {
    for words in 'text text' - '--max-slowdown=0' '--max-slowdown=1001' '--time-limit=x' '--time-limit=0' '--export=x.md' \
        '--export=.json' '--export=missing/x.json' '--nosuch' '--seed=-1' '--rounds=3'; do
        iobench calibrate $words </dev/null
        status_is 2
        prints_nothing
        says "see 'iobench calibrate --help'"
    done
}

@test "a file that cannot be read again and again is refused with exit 3" {
    : >empty
    mkfifo fifo
    for file in missing . fifo empty /dev/zero /proc/self/status; do
        iobench calibrate "${SHORT[@]}" $file
        status_is 3
        prints_nothing
        equal "$(wc -l <"$ERR")" 1 'lines on standard error'
    done
    as_ordinary_user
    cp -L text secret
    chmod 000 secret
    iobench calibrate "${SHORT[@]}" secret
    status_is 3
    says "cannot open 'secret': Permission denied"
}

@test "a report that cannot be written ends with 3" {
    [ -e /dev/full ] || skip 'there is no /dev/full'
    status=0
    "$IOBENCH" calibrate --time-limit=200ms --quiet text >/dev/full 2>"$ERR" || status=$?
    status_is 3
    says 'cannot write standard output: No space left on device'
}

# --- compare --run-noise=FILE

@test "compare takes the relative or the absolute noise of a calibration" {
    change '.run_noise.relative.noise_ratio = 0.123 | .run_noise.absolute.noise_ratio = 0.456'
    compare --run-noise=calibrated.json
    status_is 0
    holds '.run_noise_ratio == 0.123 and .options.calibration == "calibrated.json" and .options.run_noise_ratio == null' .options
    holds '[.warnings[] | select(.code != "control_changed")] == []' .warnings
    compare --run-noise=calibrated.json --absolute
    holds '.run_noise_ratio == 0.456' .run_noise_ratio
    iobench compare --run-noise calibrated.json base.json new.json
    prints '12.3 % is allowed for how much runs of the same code differ, as measured by iobench calibrate'
}

@test "the last --run-noise wins, and a file may be called 5" {
    change '.run_noise.relative.noise_ratio = 0.5'
    cp calibrated.json 5
    compare --run-noise=calibrated.json --run-noise=7
    holds '.run_noise_ratio == 0.07 and .options.calibration == null' .options
    compare --run-noise=7 --run-noise=./5
    holds '.run_noise_ratio == 0.5 and .options.run_noise_ratio == null' .options
}

@test "the widened interval is the calibration's" {
    change '.run_noise.relative.noise_ratio = 0'
    compare --run-noise=calibrated.json
    narrow=$(query '.results[1].metrics[0].ci_high')
    change '.run_noise.relative.noise_ratio = 0.25'
    compare --run-noise=calibrated.json
    holds "(.results[1].metrics[0].ci_high / $narrow - 1.25 | fabs) < 1e-9" '.results[1].metrics[0]'
}

@test "a calibration of another machine is refused, and of another kernel warned about" {
    change '.host.cpu_model = "another"'
    refused "'calibrated.json' is the calibration of another machine: cpu_model is \"another\" there" \
        --run-noise=calibrated.json
    compare --run-noise=calibrated.json --force
    status_is 0
    holds '[.warnings[].code] | index("foreign_calibration") != null' .warnings
    change '.host.kernel = "Linux 9.9"'
    compare --run-noise=calibrated.json
    status_is 0
    holds '[.warnings[].code] | index("foreign_calibration") != null' .warnings
    says 'kernel is "Linux 9.9" there'
}

@test "a calibration that does not know the noise is refused" {
    change '.run_noise.relative.noise_ratio = null'
    refused "'calibrated.json' does not know how much relative figures of runs differ" --run-noise=calibrated.json
    compare --run-noise=calibrated.json --absolute
    status_is 0
}

@test "whatever else stands behind --run-noise is refused with a sentence" {
    refused "cannot open 'missing'" --run-noise=missing
    refused 'base.json: this is no calibration' --run-noise=base.json
    : >empty
    refused 'empty: the document is empty' --run-noise=empty
    head -c 300 "$BATS_FILE_TMPDIR/calibrated.json" >torn
    refused 'torn: not JSON: line' --run-noise=torn
    refused "cannot read './.': Is a directory" --run-noise=./.
    sed '0,/"command"/s//"command": "calibrate", "command"/' "$BATS_FILE_TMPDIR/calibrated.json" >twice
    refused 'twice: not JSON' --run-noise=twice
    local filter sentence
    while IFS='|' read -r filter sentence; do
        change "$filter"
        refused "calibrated.json: $sentence" --run-noise=calibrated.json
    done <<'ROWS'
.schema_version = 2|schema_version: 2 is not known to this iobench, which reads 1
del(.schema_version)|this is no document of iobench: it has no schema_version
.command = ["calibrate"]|this is no calibration
.run_noise = 5|run_noise: an object was expected
del(.run_noise)|run_noise: an object was expected, and nothing is there
.run_noise.relative = []|run_noise.relative: an object was expected
.run_noise.relative.noise_ratio = "5"|run_noise.relative.noise_ratio: a number or null was expected
.run_noise.relative.noise_ratio = -0.1|run_noise.relative.noise_ratio: it is not from 0 to 10
.run_noise.absolute.noise_ratio = 1e300|run_noise.absolute.noise_ratio: it is not from 0 to 10
del(.run_noise.absolute.noise_ratio)|run_noise.absolute.noise_ratio: a number or null was expected, and nothing is there
.host = null|host: an object was expected
.started_at = "now"|started_at: a time like
ROWS
}

@test "a calibration is no recorded run" {
    iobench compare calibrated.json new.json
    status_is 3
    says 'calibrated.json: this is a calibration, not a recorded run: --run-noise=FILE takes it'
}

# --- what is written about it

@test "the schema names every key that is written, and requires it" {
    "$PYTHON" - "$SCHEMA" "$IOBENCH_SOURCE/src/report/iobench-1.schema.json" <<'PY'
import json, sys
schema, other = (json.load(open(path)) for path in sys.argv[1:])
for name, o in {"document": schema, **schema["$defs"], **schema["properties"]}.items():
    if "properties" in o:
        assert o["additionalProperties"] is False, name
        assert sorted(o["required"]) == sorted(o["properties"]), name
assert schema["$defs"]["host"] == other["$defs"]["host"], "host"
PY
    equal "$(keys_written calibration_json.c)" \
        "$(jq -r '[., (.["$defs"] | del(.host)[]), .properties[]] | .[] | .properties // {} | keys[]' "$SCHEMA" |
            sort -u | xargs)" 'keys written'
}

@test "every option of calibrate --help stands in its manual and its completion, and the other way round" {
    help=$("$IOBENCH" calibrate --help | sed -nE 's/^ {2,6}(-[a-z], +)?(--[a-z-]+)(=[^ ]+)?( .*)?$/\2/p' | sort)
    manual=$(sed -nE 's/^\.It (Fl [a-z] , )?Fl -([a-z-]+).*/--\2/p' "$IOBENCH_SOURCE/man/iobench-calibrate.1" | sort)
    equal "$manual" "$help" 'options of the manual'
    completion=$(bash --norc -c 'source "$1"; printf "%s\n" "${_iobench_calibrate_options[@]}"' - \
        "$IOBENCH_SOURCE/contrib/completion/iobench" | sed -E 's/^. (--[a-z-]+)=?.*/\1/' | sort)
    equal "$completion" "$help" 'options of the completion'
}

@test "every warning and error of calibrate stands in its manual" {
    for code in $(grep -ohE 'notes_add\(notes, "[a-z_]+"' "$IOBENCH_SOURCE"/src/report/calibration.c \
        "$IOBENCH_SOURCE"/src/cli/cmd_calibrate.c | sed 's/.*"\(.*\)"/\1/' | sort -u); do
        grep -qE "Li $code( :)?\$" "$IOBENCH_SOURCE/man/iobench-calibrate.1" || fail "not in the manual: $code"
    done
}

@test "the manual is clean under mandoc, and no wider than a terminal" {
    need mandoc
    cd "$IOBENCH_SOURCE/man"
    equal "$(mandoc -Tlint iobench-calibrate.1 2>/dev/null | grep -v 'referenced manual not found')" '' lint
    equal "$(mandoc -Tascii -O width=78 iobench-calibrate.1 | sed 's/.\x08//g' | awk 'length > 80')" '' 'wide lines'
}
