# iobench compare: what it finds between recorded runs, and what it refuses.
#
# The documents are made by jq from one real run: its cases and keys, with times that are known.

load common

SCHEMA=$IOBENCH_SOURCE/src/report/iobench-compare-1.schema.json

setup_file() {
    export IOBENCH IOBENCH_SOURCE
    cd "$BATS_FILE_TMPDIR"
    yes 'a line of text' | head -n 10000 >text
    "$IOBENCH" read --quick --rounds=8 --trial-time=100us --mode=sysread,fread,mmap --baseline=sysread \
        --latency --json --quiet text >real.json
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    jq "$EXACT" "$BATS_FILE_TMPDIR/real.json" >base.json
    make_new . >new.json
}

# Eight rounds in which every case takes a second for each pass and byte.
EXACT='.started_at = "2026-01-31T12:00:00Z" | .seed = 1
    | .results[].trials[] |= (.wall_ns = .bytes * 1000 | .cpu_ns = .bytes * 500 | .peak_rss_bytes = 1048576)
    | .results[].latency |= if . == null then . else (.p50_ns = 1000 | .p99_ns = 2000) end'

# The pairs of the design.
PAIRS='[1.05, 1.04, 1.06, 1.05, 1.07, 1.04, 1.05, 1.06]'

# slower KEY CASE RATIOS: a filter that multiplies a key of a case's trials, one ratio a round.
slower() {
    echo "(.results[] | select(.mode == \"$2\") | .trials[] | select(.warmup | not)) |=
        (.$1 = (.$1 * ($3)[.round - 1] | round))"
}
all_rounds() {
    echo "[range(8) | $1]"
}

# make_new FILTER [AT [SEED]]: the new side: the base as a later run, changed.
make_new() {
    jq ".started_at = \"${2:-2026-01-31T13:00:00Z}\" | .seed = ${3:-2} | $1" base.json
}

compare() {
    iobench compare "$@" </dev/null
}

# compared ARGUMENT...: with --json; the document must fit the schema.
compared() {
    compare --json "$@"
    is_report "$OUT"
}

# verdict MODE [NAME]: of a figure in the last document.
verdict() {
    query ".results[] | select(.mode == \"$1\") | .metrics[] | select(.name == \"${2:-time}\") | .verdict"
}

# refused SENTENCE ARGUMENT...: exit 3 with that sentence, the same with --json, inside a document.
refused() {
    local sentence=$1
    shift
    compare "$@"
    status_is 3
    says "$sentence"
    prints_nothing
    compared "$@"
    status_is 3
    says "$sentence"
    holds '.verdict == null and .results == [] and (.errors | length) == 1' .errors
    [[ $(query '.errors[0].message') == *"$sentence"* ]] || fail "the document does not say '$sentence'"
}

# --- verdicts

@test "a real run compared with itself has nothing regressed and nothing improved" {
    compared "$BATS_FILE_TMPDIR/real.json" "$BATS_FILE_TMPDIR/real.json"
    status_is 0
    holds '[.results[].metrics[].verdict] | all(. == null or . == "inconclusive" or . == "same")' .results
    holds '.warnings | map(.code) == ["same_run"]' .warnings
    says 'are the same run, on both sides'
}

@test "the pairs of the design are regressed at 3 % and inconclusive at 5 %" {
    make_new "$(slower wall_ns fread "$PAIRS")" >new.json
    compared base.json new.json --run-noise=0 --max-slowdown=3 --relative-to=sysread
    status_is 1
    equal "$(verdict fread)" regressed
    equal "$(verdict mmap)" same
    equal "$(query .verdict)" regressed
    holds '.results[] | select(.mode == "fread") | .metrics[0]
        | (.ratio - 1.05 | fabs) < 1e-6 and (.ci_low - 1.04 | fabs) < 1e-6 and (.ci_high - 1.07 | fabs) < 1e-6'
    says 'read/fread/block_size=131072 regressed: wall_ns_per_byte is 5.0 % (4.0 .. 7.0) up'
    compared base.json new.json --run-noise=0 --max-slowdown=5
    status_is 0
    equal "$(verdict fread)" inconclusive
}

@test "faster by 20 % is improved, and no failure" {
    make_new "$(slower wall_ns mmap "$(all_rounds 0.8)")" >new.json
    compared base.json new.json --run-noise=2 --max-slowdown=3
    status_is 0
    equal "$(verdict mmap)" improved
    equal "$(query .verdict)" improved
}

@test "the noise of a run widens both ways: 12 % slower is regressed, 9 % is not" {
    make_new "$(slower wall_ns mmap "$(all_rounds 1.12)") | $(slower wall_ns fread "$(all_rounds 1.09)")" >new.json
    compared base.json new.json
    status_is 1
    equal "$(verdict mmap)" regressed
    equal "$(verdict fread)" inconclusive
    holds '.run_noise_ratio == 0.05 and .options.run_noise_ratio == null' .run_noise_ratio
}

@test "a machine of half the speed is no regression, relative to a control" {
    make_new '.results[].trials[].wall_ns *= 2' >new.json
    compared base.json new.json --run-noise=0
    status_is 0
    equal "$(query .verdict)" same
    equal "$(query .control)" read/sysread/block_size=131072
    compared --absolute base.json new.json
    status_is 1
    equal "$(query .control)" null
    holds '.run_noise_ratio == 0.3' .run_noise_ratio
}

@test "a change of the control gets no verdict, and is not taken for one of the others" {
    make_new "$(slower wall_ns sysread "$(all_rounds 2)")" >new.json
    compare base.json new.json
    prints 'relative to read/sysread/block_size=131072 of the same run: a change of that case itself is not judged'
    prints '0 regressed, 0 improved'
    says 'warning: the control itself changed (wall_ns_per_byte +100.0 %): a case that did not looks changed'
    compared base.json new.json --relative-to=mmap
    equal "$(verdict sysread)" regressed
    equal "$(verdict fread)" same || equal "$(verdict fread)" inconclusive
    holds '[.warnings[].code] | index("control_changed") == null' .warnings
}

@test "a case that stood still while its control became faster is no regression" {
    make_new "$(slower wall_ns sysread "$(all_rounds 0.8)") | $(slower wall_ns fread "$(all_rounds 1.25)")" >new.json
    compared base.json new.json
    status_is 1
    equal "$(verdict mmap)" inconclusive # 1.25 to the control
    equal "$(verdict fread)" regressed   # 1.56 to the control
}

@test "one common case is compared by its absolute figure" {
    jq '.results |= map(select(.mode == "fread")) | .comparisons = []' base.json >one.json
    compared one.json new.json
    status_is 0
    holds '.control == null and .run_noise_ratio == 0.3 and (.results | length) == 1
        and (.unmatched | length) == 2' '{control, unmatched}'
}

# --- several runs a side

# runs RATIO...: documents b1 n1 b2 n2 ... that took turns; every new one takes RATIO of the time.
runs() {
    local i=0 ratio
    for ratio; do
        i=$((i + 1))
        make_new . "2026-01-31T1$i:00:00Z" "10$i" >b$i.json
        make_new "$(slower wall_ns fread "$(all_rounds "$ratio")")" "2026-01-31T1$i:30:00Z" "20$i" >n$i.json
    done
}

@test "four runs a side need no noise, and judge one case by the smallest and largest ratio" {
    runs 1.06 1.07 1.08 1.09
    for f in [bn]?.json; do jq '.results |= map(select(.mode != "mmap"))' $f >t && mv t $f; done
    compared --base b?.json --new n?.json --max-slowdown=5
    status_is 1
    holds '.run_noise_ratio == null and .confidence == 0.95 and (.base | length) == 4 and .warnings == []' .warnings
    holds '.results[] | select(.mode == "fread") | .metrics[0]
        | (.ci_low - 1.06 | fabs) < 1e-6 and (.ci_high - 1.09 | fabs) < 1e-6'
}

@test "four runs a side are too few for two cases, six are not" {
    runs 1.2 1.2 1.2 1.2
    compared --base b?.json --new n?.json
    status_is 0
    holds '[.results[].metrics[0] | select(.verdict != null) | .ci_low] == [null, null]'
    runs 1.2 1.2 1.2 1.2 1.2 1.2
    compared --base b?.json --new n?.json
    status_is 1
    equal "$(verdict fread)" regressed
    equal "$(verdict mmap)" same
}

@test "two runs a side take the range within a side when it is wider than the noise" {
    runs 1.1 1.4
    compared --base b1.json b2.json --new n1.json n2.json
    holds '.results[] | select(.mode == "fread") | .metrics[0]
        | (.ci_high / .ratio - 1.4 / 1.1 | fabs) < 1e-6' .results
    equal "$(verdict fread)" inconclusive
}

@test "runs that did not take turns are warned about" {
    runs 1 1
    compared --base b1.json n1.json --new b2.json n2.json
    equal "$(query '.warnings[].code')" not_alternating
    compared --base b1.json n2.json --new n1.json b2.json
    equal "$(query '.warnings | length')" 0
    for f in b1 b2 n1 n2; do # runs of one second are in no order
        jq '.started_at = "2026-01-31T12:00:00Z"' $f.json >t && mv t $f.json
    done
    compared --base b1.json n1.json --new b2.json n2.json
    equal "$(query '.warnings | length')" 0
}

@test "documents go behind --base and --new in any of the ways of writing it" {
    runs 1 1
    for words in '--base b1.json b2.json --new n1.json n2.json' \
        '--new=n1.json n2.json --base=b1.json --base b2.json' \
        '--base b1.json --max-slowdown 7 b2.json -e x.csv --new n1.json -- n2.json'; do
        compared $words
        status_is 0
        equal "$(query '[.base[].path, .new[].path] | join(" ")')" 'b1.json b2.json n1.json n2.json' "$words"
    done
}

# --- figures

@test "processor time, memory and percentiles are judged when they are asked for" {
    make_new "$(slower cpu_ns mmap "$(all_rounds 1.5)") | $(slower peak_rss_bytes fread "$(all_rounds 1.5)")" >new.json
    compared base.json new.json
    status_is 0
    equal "$(verdict mmap cpu)" null
    compared base.json new.json --metric=cpu
    status_is 1
    equal "$(verdict mmap cpu)" regressed
    equal "$(verdict fread cpu)" same
    equal "$(verdict fread time)" null
    compared base.json new.json --metric=memory
    equal "$(verdict fread memory)" regressed
    equal "$(query '.results[0].metrics[] | select(.name == "memory") | .ratio')" null 'of the control'
    make_new '(.results[] | select(.mode == "fread") | .latency.p99_ns) *= 3' >new.json
    compared base.json new.json --metric=p99
    status_is 0
    equal "$(verdict fread p99)" inconclusive 'one percentile a run'
    compared base.json new.json --metric=p99 --run-noise=50
    status_is 1
    equal "$(verdict fread p99)" regressed
}

# make_epoll: base.json of events, in which a message takes 1000 ns.
make_epoll() {
    "$IOBENCH" epoll --quick --rounds=8 --trial-time=100us --handles=8 --latency --mode=epoll,poll,select \
        --baseline=poll --json --quiet >epoll.json
    jq "$EXACT"' | .results[].trials[] |= (.wall_ns = .messages * 1000)
        | .results[].latency |= (.p90_ns = 1500 | .p999_ns = 9000)' epoll.json >base.json
}

@test "events are judged by the time of a message, where messages are counted" {
    make_epoll
    make_new "$(slower wall_ns epoll "$(all_rounds 1.25)")" >new.json
    compared base.json new.json --metric=events --run-noise=2
    status_is 1
    equal "$(verdict epoll events)" regressed
    equal "$(verdict select events)" same
    equal "$(verdict epoll)" null 'time'
    holds '.results[] | select(.mode == "epoll") | .metrics[] | select(.name == "events")
        | .metric == "wall_ns_per_event" and .base == 1000 and (.new / 1250 - 1 | fabs) < 1e-3'
    compare base.json new.json --metric=events
    grep -qE '^ +epoll/epoll/\S* +events/s +1.00 M +800 k ' "$OUT" || fail 'no events per second'
    cp "$BATS_FILE_TMPDIR/real.json" real.json # that of read counts none
    refused 'no case has the figures that are to be compared' real.json real.json --metric=events
}

@test "requests are judged where a document counts them" {
    jq '.results[].trials[] |= (.requests = .bytes / 1000)' base.json >b.json
    jq '.results[].trials[] |= (.requests = .bytes / 1000) | .results[1].trials[] |= (.wall_ns *= 2)' \
        new.json >n.json
    compared b.json n.json --metric=requests
    status_is 1
    equal "$(verdict fread requests)" regressed
    holds '.results[1].metrics[] | select(.name == "requests") | .metric == "wall_ns_per_request" and .base == 1e6'
    jq '.results[1].trials[3].requests = -1' b.json >bad.json
    refused 'results[1].trials[3].requests: it is negative' b.json bad.json
}

@test "all percentiles of a document can be judged" {
    make_epoll
    make_new '.results[0].latency |= (.p50_ns *= 2 | .p90_ns *= 3 | .p99_ns *= 4 | .p999_ns *= 5)' >new.json
    compared base.json new.json --metric=p50,p90,p99,p999 --run-noise=20 --absolute
    status_is 1
    equal "$(query '[.results[0].metrics[] | select(.name | startswith("p")) | .ratio] | map(round) | tostring')" '[2,3,4,5]'
    holds '[.results[0].metrics[] | select(.name | startswith("p")) | .verdict] | unique == ["regressed"]'
    jq 'del(.results[].latency.p90_ns, .results[].latency.p999_ns)' base.json >old.json # an earlier version
    compared old.json new.json --metric=p50
    status_is 0
}

@test "runs at unlike rates are refused, and a given rate is doubted" {
    make_epoll
    make_new '.options.rate = [1000]' >new.json
    refused "unlike options: rate is [null] in 'base.json' and [1000] in 'new.json'" base.json new.json
    jq '.options.rate = [1000]' base.json >b.json
    compared b.json new.json
    status_is 0
    equal "$(query '.warnings[].code')" rate_given
    compared b.json new.json --metric=cpu
    equal "$(query '.warnings | length')" 0
}

@test "too few rounds for so many comparisons are inconclusive, and a warning says how many it takes" {
    compared base.json new.json --metric=cpu,memory
    status_is 0
    equal "$(query .comparisons)" 4
    holds '[.results[].metrics[] | select(.verdict != null) | .verdict] | unique == ["inconclusive"]'
    equal "$(query '.warnings[].code')" no_interval
    says 'too few rounds for 4 comparisons at once: 9 are needed'
}

@test "a file without bytes is compared by the pass" {
    jq '.results[].trials[].bytes = 0' base.json >b.json
    jq '.results[].trials[].bytes = 0' new.json >n.json
    compared b.json n.json --run-noise=0
    status_is 0
    equal "$(query '[.results[].metrics[0].metric] | unique[]')" wall_ns_per_pass
}

@test "calls and bytes that differ are named, and judged by nobody" {
    make_new '(.results[] | select(.mode == "sysread") | .trials[]) |= (.calls = .passes * 7)' >new.json
    compare base.json new.json
    status_is 0
    prints 'read/sysread/block_size=131072: 7 calls a pass instead of '
    compared base.json new.json
    holds '.results[0].counts_per_pass[] | select(.name == "calls") | .new == 7 and .equal == false'
}

# --- what does not match

@test "cases on one side, and with other parameters, are listed and not compared" {
    make_new '.results |= map(select(.mode != "mmap"))
        | (.results[] | select(.mode == "fread") | .params.threads) = 2' >new.json
    jq '.results += [.results[] | select(.mode == "mmap") | .id = "read/other" | .mode = "other"]' base.json >b.json
    compared b.json new.json --absolute
    status_is 0
    equal "$(query '.unmatched | map(.id + ": " + .reason) | join("; ")')" \
        'read/fread/block_size=131072: its parameters differ; read/mmap: not in it; read/other: not in it'
    equal "$(query '.results | length')" 1
    compare b.json new.json --absolute
    prints 'read/mmap is not compared: new.json: not in it.'
}

@test "a case that no longer works is a failure, not a pass" {
    make_new '(.results[] | select(.mode == "mmap")) |= (.status = "failed" | .reason = "died by SIGBUS")' >new.json
    compared base.json new.json
    status_is 3
    equal "$(query '.errors[].code')" no_longer_measured
    says "read/mmap is failed in 'new.json': died by SIGBUS"
    equal "$(query '.results | length')" 2
}

@test "--strict ends with 4 when a verdict is open, or a case of the base is gone" {
    make_new "$(slower wall_ns mmap "$(all_rounds 1.01)")" >new.json
    compare base.json new.json --strict
    status_is 4
    compare base.json new.json --strict --run-noise=0
    status_is 0
    make_new '.results |= map(select(.mode != "mmap"))' >new.json
    compare base.json new.json --strict --run-noise=0
    status_is 4
    compare base.json new.json --run-noise=0
    status_is 0
}

# --- refusals

@test "unlike commands are refused, but read, sysread and stdio are alike" {
    make_new '.command = "recv"' >new.json
    refused "unlike commands: 'base.json' is of read, 'new.json' of recv" base.json new.json
    make_new '.command = "sysread"' >new.json
    compare base.json new.json
    status_is 0
}

@test "other files and other sizes are refused" {
    make_new '.source.files[0].path = "other"' >new.json
    refused "unlike files: 'base.json' read " base.json new.json
    make_new '.source.files[0].size_bytes += 1' >new.json
    refused 'unlike files: ' base.json new.json
    make_new '.source.files += .source.files' >new.json
    refused 'unlike files: ' base.json new.json
}

@test "options that change a trial are refused, others are not" {
    make_new '.options.trial_time_ns = 5000000' >new.json
    refused "unlike options: trial_time_ns is 100000 in 'base.json' and 5000000 in 'new.json'" base.json new.json
    make_new '.options.latency = false' >new.json
    refused 'unlike options: latency is true ' base.json new.json
    make_new '.options |= (.rounds = 9 | .strict = true | .precision_ratio = 0.1 | .warmup = 2)' >new.json
    compare base.json new.json
    status_is 0
}

@test "absolute figures of another machine, system or cache need --force, and are marked" {
    for change in '.host.cpu_model = "another"' '.host.kernel = "Linux 1.0"' '.source.files[0].resident_ratio = 0.1'; do
        make_new "$change" >new.json
        refused 'absolute figures cannot be compared without --force' base.json new.json --absolute
        compared base.json new.json --absolute --force
        status_is 0
        holds '.warnings | length == 1' .warnings
        says 'the absolute figures are compared all the same'
        compared base.json new.json
        status_is 0
        holds '.warnings | length == 1 and (.[0].code | startswith("different_"))' .warnings
    done
}

@test "a run that stands twice on a side is refused" {
    cp base.json again.json
    refused "'base.json' and 'again.json' are the same run: it counts once" --base base.json again.json --new new.json
}

@test "a control that is not on both sides, or not there, is refused" {
    make_new '.results |= map(select(.mode != "sysread"))' >new.json
    refused 'the control, read/sysread/block_size=131072, was not measured on both sides: name another' base.json new.json
    refused "--relative-to: in 'base.json' no case is called 'nosuch'" base.json new.json --relative-to=nosuch
    jq '.comparisons = []' base.json >b.json
    refused "'b.json' has no baseline: name a control by --relative-to=CASE" b.json base.json
}

@test "runs without a common case, or without the figure, are refused" {
    make_new '.results[].id |= "x" + .' >new.json
    refused 'no case was measured on both sides' base.json new.json
    make_new '.results = []' >new.json
    refused 'no case was measured on both sides' base.json new.json
    jq '.results[].latency = null' base.json >b.json
    make_new '.results[].latency = null' >n.json
    refused 'no case has the figures that are to be compared' b.json n.json --metric=p50
}

@test "other versions of the schema are refused by name" {
    make_new '.schema_version = 2' >new.json
    refused 'new.json: schema_version: 2 is not known to this iobench, which reads 1' base.json new.json
    make_new 'del(.schema_version)' >new.json
    refused 'new.json: this is no document of iobench: it has no schema_version' base.json new.json
    compared base.json base.json
    cp "$OUT" comparison.json
    refused 'comparison.json: this is a comparison, not a recorded run' base.json comparison.json
}

@test "an earlier document, without keys that came later, is read" {
    make_new 'del(.options.latency, .options.duration_ns, .host.mitigations, .results[].latency, .model)' >new.json
    jq 'del(.options.latency, .options.duration_ns, .host.mitigations, .results[].latency, .model)' base.json >b.json
    compared b.json new.json
    status_is 0
}

# --- hostile files

@test "a wrong type is named with its place in the document" {
    make_new '.results[2].trials[0].wall_ns = "5"' >new.json
    refused 'new.json: results[2].trials[0].wall_ns: a whole number or null was expected' base.json new.json
    make_new '.results[1].trials = {}' >new.json
    refused 'new.json: results[1].trials: an array was expected' base.json new.json
}

@test "what is no document is refused: missing, empty, a directory, torn, binary, deep, NaN, a key twice" {
    refused "cannot open 'missing': No such file or directory" base.json missing
    refused "cannot read '.': Is a directory" base.json .
    : >empty
    refused 'empty: the document is empty' base.json empty
    head -c 3000 new.json >torn
    refused 'torn: not JSON: line ' base.json torn
    head -c 3000 /dev/zero >zeros
    refused 'zeros: not JSON: line 1, column ' base.json zeros
    printf '[%.0s' {1..100000} >deep
    refused 'deep: not JSON: line 1, column ' base.json deep
    sed '0,/"wall_ns": [0-9]*/s//"wall_ns": NaN/' new.json >nan
    refused 'nan: not JSON: line ' base.json nan
    sed '0,/"seed"/s//"seed": 1, "seed"/' new.json >twice
    refused 'twice: not JSON: line ' base.json twice
    (cat new.json && echo '{}') >two
    refused 'two: not JSON: line ' base.json two
    printf '"\xff\xfe"' >bytes
    refused 'bytes: not JSON: line 1' base.json bytes
}

@test "a file of a gigabyte is refused at once" {
    truncate -s 1G large.json
    ulimit -v 400000
    refused 'large.json: larger than 256 MiB, which is the limit for a document' base.json large.json
}

@test "a pipe that does not end is refused at the limit, in bounded memory" {
    ulimit -v 1500000
    iobench compare base.json - < <(printf '"' && tr '\0' x </dev/zero)
    status_is 3
    says '-: larger than 256 MiB'
}

@test "a document whose values would not fit into memory is refused" {
    (echo '[' && yes '[],' | head -c 90M) >many
    ulimit -v 3000000
    refused 'many: more than 8388608 values, which is the limit for a document' base.json many
}

@test "control characters of a document do not reach the terminal" {
    make_new '(.results[] | select(.mode == "mmap")) |= (.status = "failed" | .reason = "\u001b[31mred")' >new.json
    compare base.json new.json
    refute grep -q $'\e' "$OUT" "$ERR"
}

@test "a document comes from standard input" {
    iobench compare base.json - <new.json
    status_is 0
    prints '- (2026-01-31T13:00:00Z)'
}

# --- usage

@test "compare refuses what makes no sense with exit 2, and nothing on standard output" {
    for words in '' base.json 'base.json new.json base.json' '--base base.json' '--new new.json' \
        'base.json --new new.json' '--max-slowdown=0 base.json new.json' '--max-slowdown=1001 base.json new.json' \
        '--run-noise=-1 base.json new.json' '--run-noise=5x base.json new.json' '--metric=speed base.json new.json' \
        '--metric= base.json new.json' '--nosuch base.json new.json' '--export=x.xml base.json new.json' \
        '--absolute --relative-to=mmap base.json new.json' '--rounds=3 base.json new.json' \
        '--export=missing/x.md base.json new.json' '--base'; do
        compare $words
        status_is 2
        prints_nothing
        says "see 'iobench compare --help'"
    done
}

# --- reports

@test "exports are Markdown, CSV and JSON" {
    make_new "$(slower wall_ns mmap "$(all_rounds 1.5)")" >new.json
    compare base.json new.json -e x.md -e x.csv --export=x.json
    status_is 1
    is_report x.json
    equal "$(head -n 1 x.csv)" 'id,metric,control,base,new,ratio,ci_low,ci_high,confidence,verdict'
    "$PYTHON" - x.csv x.json <<'PY'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
document = json.load(open(sys.argv[2]))
metrics = [(r["id"], m) for r in document["results"] for m in r["metrics"]]
assert len(rows) == len(metrics) > 0
for row, (identity, m) in zip(rows, metrics):
    assert row["id"] == identity and row["metric"] == m["metric"], row
    assert row["verdict"] == (m["verdict"] or ""), row
    for key in ("base", "new", "ratio", "ci_low", "ci_high"):
        assert (float(row[key]) if row[key] else None) == m[key], (key, row, m)
PY
    grep -q '^| read/mmap | throughput | .* | regressed |$' x.md || fail 'no row in the table'
    grep -q '^read/mmap regressed: its wall_ns_per_byte +50.0 % ' x.md || fail 'no sentence'
}

@test "the exit status is the same with and without --json" {
    make_new "$(slower wall_ns mmap "$(all_rounds 1.5)")" >slow.json
    make_new "$(slower wall_ns mmap "$(all_rounds 1.01)")" >new.json
    for words in '0 base.json new.json' '1 base.json slow.json' '2 base.json' '3 base.json missing' \
        '4 --strict base.json new.json'; do
        compare ${words#* }
        status_is ${words%% *}
        compare --json ${words#* }
        status_is ${words%% *}
    done
}

@test "numbers keep their point under a locale with a comma" {
    locale -a 2>/dev/null | grep -qi '^de_DE' || skip 'there is no German locale'
    UNDER=(env LC_ALL=de_DE.UTF-8)
    compared base.json new.json
    status_is 0
}

@test "a report that cannot be written ends with 3" {
    [ -e /dev/full ] || skip 'there is no /dev/full'
    status=0
    "$IOBENCH" compare base.json new.json >/dev/full 2>"$ERR" || status=$?
    status_is 3
    says 'cannot write standard output: No space left on device'
}

@test "the schema names every key that is written, and requires it" {
    "$PYTHON" - "$SCHEMA" <<'PY'
import json, sys
schema = json.load(open(sys.argv[1]))
for name, o in {"document": schema, **schema["$defs"]}.items():
    if "properties" in o:
        assert o["additionalProperties"] is False, name
        assert sorted(o["required"]) == sorted(o["properties"]), name
PY
    equal "$(keys_written comparison_json.c)" \
        "$(jq -r '[., .["$defs"][]] | .[] | .properties // {} | keys[]' "$SCHEMA" | sort -u | xargs)" 'keys written'
}

@test "two documents of 10,000 trials are compared in 100 MB" {
    jq -c '.results |= map(select(.mode != "mmap"))
        | .results[].trials |= (.[-1] as $last | [.[0]] + [range(1; 5001) as $i | $last | .round = $i])' base.json >b.json
    jq -c '.seed = 5' b.json >n.json
    (
        ulimit -v 160000 # of address space, the libraries included
        compared b.json n.json --run-noise=0
        status_is 0
        equal "$(verdict fread)" same
    )
}

# --- what is written about it

@test "every option of compare --help stands in its manual and its completion, and the other way round" {
    help=$("$IOBENCH" compare --help | sed -nE 's/^ {2,6}(-[a-z], +)?(--[a-z-]+)(=[^ ]+)?( .*)?$/\2/p' | sort)
    manual=$(sed -nE 's/^\.It (Fl [a-z] , )?Fl -([a-z-]+).*/--\2/p' "$IOBENCH_SOURCE/man/iobench-compare.1" | sort)
    equal "$manual" "$help" 'options of the manual'
    completion=$(bash --norc -c 'source "$1"; printf "%s\n" "${_iobench_compare_options[@]}"' - \
        "$IOBENCH_SOURCE/contrib/completion/iobench" | sed -E 's/^. (--[a-z-]+)=?.*/\1/' | sort)
    equal "$completion" "$help" 'options of the completion'
}

@test "every warning of compare stands in its manual" {
    for code in $(grep -ohE '(notes_add\(notes, |\*code = )"[a-z_]+"' "$IOBENCH_SOURCE"/src/report/comparison*.c |
        sed 's/.*"\(.*\)"/\1/' | sort -u); do
        grep -q "^\.It Li $code\$" "$IOBENCH_SOURCE/man/iobench-compare.1" || fail "not in the manual: $code"
    done
}

@test "the manual is clean under mandoc, and no wider than a terminal" {
    need mandoc
    cd "$IOBENCH_SOURCE/man"
    equal "$(mandoc -Tlint iobench-compare.1 2>/dev/null | grep -v 'referenced manual not found')" '' lint
    equal "$(mandoc -Tascii -O width=78 iobench-compare.1 | sed 's/.\x08//g' | awk 'length > 80')" '' 'wide lines'
}
