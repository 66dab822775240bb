# What comes out: the text report, JSON, exports, exit status, and who says what where.

load common

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    seq 1 20000 >text
    : >empty
    # A locale with a decimal comma, for those tests that need one.
    if command -v localedef >/dev/null; then
        mkdir locale
        localedef -i de_DE -f UTF-8 locale/de_DE.UTF-8 >/dev/null 2>&1 || true
    fi
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR/text" text
    SIZE=$(wc -c <text)
}

in_comma_locale() {
    UNDER=(env LOCPATH="$BATS_FILE_TMPDIR/locale" LC_ALL=de_DE.UTF-8)
    [ "$("${UNDER[@]}" printf '%.1f' 1,5 2>/dev/null)" = 1,5 ] ||
        skip 'no locale with a decimal comma can be made'
}

# Width in columns: one a code point.
too_wide() { # COLUMNS FILE
    grep -nE "^.{$(($1 + 1))}" "$2"
}

escape=$'\e'

# --- the text report

@test "the report says what was read, how each case did, and what was found" {
    iobench read "${SURE[@]}" --mode=sysread,getc text
    status_is 0
    head -n 1 "$OUT" | grep -q '^text: 106 KiB on ' || fail 'the first line does not say what was read'
    head -n 1 "$OUT" | grep -q '20 rounds of 2 cases' || fail 'the first line does not say how long'
    grep -q '^ *mode .*throughput' "$OUT" || fail 'there is no table'
    grep -qE '^ +sysread +128 KiB +[0-9.]+ [MG]B/s ' "$OUT" || fail 'sysread has no row'
    grep -qE '^ +getc .* [0-9.]+x slower' "$OUT" || fail 'getc has no ratio'
    grep -q '^sysread is the fastest here, .* ahead of getc\.$' "$OUT" || fail 'there is no finding'
}

@test "the report says how much of the file was in the page cache" {
    cat text >/dev/null
    iobench read "${FASTER[@]}" --mode=sysread text
    head -n 1 "$OUT" | grep -qE '[0-9]+ % in the page cache' || {
        json read "${FASTER[@]}" --mode=sysread text
        holds '.source.files[0].resident_ratio == null' .source
    }
}

@test "one case alone is described, not judged" {
    iobench read "${FAST[@]}" --mode=sysread text
    status_is 0
    grep -qE '^sysread reads [0-9.]+ [kMG]B/s here \(middle 80 % of 6 trials: ' "$OUT" ||
        fail 'no description'
    refute grep -qE 'fastest|slower|faster' "$OUT"
}

@test "a failed case has a row and a reason, and no rate" {
    iobench read "${FASTER[@]}" --mode=sysread,mmap /proc/filesystems
    status_is 3
    grep -qE '^ +mmap .*skipped' "$OUT" || fail 'no row'
    grep -q '^mmap: skipped: ' "$OUT" || fail 'no reason'
    grep -qE '^ +sysread .* [kMG]B/s' "$OUT" || fail 'the other case has no rate'
}

@test "columns that say nothing stay away" {
    iobench read "${FASTER[@]}" --mode=mmap text
    refute grep -q '^ *mode .*block' "$OUT"
    refute grep -q '^ *mode .*threads' "$OUT"
    iobench read "${FASTER[@]}" --mode=mmap --threads=1,2 text
    grep -q '^ *mode .*threads' "$OUT" || fail 'the swept knob has no column'
}

@test "the report of an empty file has no NaN and no rate" {
    iobench read "${FAST[@]}" --mode=sysread,getc "$BATS_FILE_TMPDIR/empty"
    status_is 0
    refute grep -qiE '\bnan\b|\binf\b|[0-9] [kMG]?B/s' "$OUT"
}

@test "the report fits a terminal of 80 columns" {
    at_terminal 80 "'$IOBENCH' read --quick --rounds=8 --trial-time=1ms --mode=all --progress=never text 2>/dev/null"
    status_is 0
    sed "s/$escape\[[0-9;]*m//g" "$OUT" >plain
    refute too_wide 80 plain
    grep -qE '^ *mode .*throughput.*against' plain || fail 'throughput or ratio is missing'
    for mode in sysread fread-unlocked getc-unlocked mmap-populate; do
        equal "$(grep -cE "^ +$mode .* [kMG]B/s " plain)" 1 "rows of $mode"
    done
}

@test "a wider terminal shows more columns, and all is there in a pipe" {
    command="'$IOBENCH' read --quick --rounds=8 --trial-time=1ms --color=never --progress=never text 2>/dev/null"
    columns() { grep '^ *mode ' "$1" | wc -w; }
    at_terminal 80 "$command"
    narrow=$(columns "$OUT")
    at_terminal 200 "$command"
    wide=$(columns "$OUT")
    refute too_wide 200 "$OUT"
    iobench read --quick --rounds=8 --trial-time=1ms text
    piped=$(columns "$OUT")
    [ "$narrow" -lt "$wide" ] && [ "$narrow" -lt "$piped" ] || fail "words in the heading: $narrow, $wide, $piped"
}

@test "a sweep with threads fits 80 columns" {
    at_terminal 80 "'$IOBENCH' read --quick --rounds=2 --trial-time=500us -b 4k,128k -t 1,2 --mode=sysread,fread-unlocked --color=never --progress=never text 2>/dev/null"
    status_is 0
    refute too_wide 80 "$OUT"
    equal "$(grep -cE '^ +(sysread|fread-unlocked) ' "$OUT")" 8 rows
}

@test "there are no escape codes in a pipe" {
    iobench read "${FAST[@]}" text
    refute grep -q "$escape" "$OUT"
    refute grep -q "$escape" "$ERR"
}

@test "a terminal gets colour, unless NO_COLOR or --color=never says otherwise" {
    run_at_terminal() {
        at_terminal 100 "$1 '$IOBENCH' read --quick --rounds=2 --trial-time=500us --progress=never $2 text 2>/dev/null"
    }
    run_at_terminal '' ''
    grep -q "$escape" "$OUT" || fail 'no colour'
    run_at_terminal NO_COLOR=1 ''
    refute grep -q "$escape" "$OUT"
    run_at_terminal NO_COLOR= ''
    grep -q "$escape" "$OUT" || fail 'an empty NO_COLOR means nothing'
    run_at_terminal '' --color=never
    refute grep -q "$escape" "$OUT"
    run_at_terminal TERM=dumb ''
    refute grep -q "$escape" "$OUT"
}

@test "--color=always gives colour to a pipe, and not to JSON" {
    iobench read "${FASTER[@]}" --color=always text
    grep -q "$escape" "$OUT" || fail 'no colour'
    NO_COLOR=1 iobench read "${FASTER[@]}" --color=always text
    grep -q "$escape" "$OUT" || fail 'what was said last on the command line wins'
    json read "${FASTER[@]}" --color=always text
    refute grep -q "$escape" "$OUT"
}

stages='verifying\|warming up\|measuring'

@test "progress is shown on a terminal, and only there" {
    command="'$IOBENCH' read ${FAST[*]} --mode=sysread,getc text"
    at_terminal 100 "$command >report"
    grep -q "$stages" "$OUT" || fail 'no progress on the terminal'
    refute grep -q "$stages" report
    at_terminal 100 "$command 2>chatter"
    refute grep -q "$stages" "$OUT" chatter
    iobench read "${FAST[@]}" --mode=sysread,getc text
    refute grep -q "$stages" "$OUT" "$ERR"
}

@test "progress goes on while the rounds do" {
    iobench read --quick --rounds=60 --trial-time=5ms --mode=sysread,getc --progress=always text
    [ "$(grep -ao 'measuring[^,]*, round [0-9]*' "$ERR" | sort -u | wc -l)" -gt 1 ] || fail 'it stands still'
}

@test "--progress=never is obeyed on a terminal, --progress=always in a pipe" {
    at_terminal 100 "'$IOBENCH' read ${FAST[*]} --mode=sysread,getc --progress=never text >report"
    refute grep -q "$stages" "$OUT"
    iobench read "${FAST[@]}" --mode=sysread,getc --progress=always text
    grep -q "$stages" "$ERR" || fail 'no progress'
    refute grep -q "$stages" "$OUT"
}

@test "the progress line is gone when the report comes" {
    at_terminal 100 "'$IOBENCH' read ${FAST[*]} --mode=sysread,getc --color=never text"
    # what remains on the screen: what stands before a carriage return is written over
    sed 's/.*\r\x1b\[K//; s/\r$//' "$OUT.raw" >screen
    refute grep -q "$stages" screen
    grep -q throughput screen
}

@test "--quiet is silent on standard error, and the report is the same" {
    iobench read --quick --rounds=2 --trial-time=500us --bytes=1G --quiet text
    status_is 0
    says_nothing
    grep -q throughput "$OUT" || fail 'no report'
    iobench read --quick --rounds=2 --trial-time=500us --quiet
    status_is 0
    says_nothing
    at_terminal 100 "'$IOBENCH' read --quick --rounds=2 --trial-time=500us --quiet text >report"
    prints_nothing
}

@test "--quiet does not hide errors" {
    iobench read "${FASTER[@]}" --quiet missing text
    status_is 3
    says "'missing'"
}

@test "warnings are on standard error and in the JSON" {
    json read "${FASTER[@]}" --mode=sysread --bytes=1G text
    status_is 0
    message=$(query '.warnings[] | select(.code == "short_source") | .message')
    [ -n "$message" ]
    says "iobench: warning: $message"
}

@test "--verbose shows no less" {
    iobench read "${FASTER[@]}" --mode=sysread text
    plain=$(grep '^ *mode ' "$OUT" | wc -w)
    iobench read "${FASTER[@]}" --mode=sysread --verbose text
    status_is 0
    [ "$(grep '^ *mode ' "$OUT" | wc -w)" -ge "$plain" ] || fail 'columns are missing'
}

# --- JSON

@test "an empty file gives the same keys as any other" {
    keys='[paths | map(if type == "number" then 0 else . end)
           | select(.[0] != "warnings" and .[0] != "errors")] | unique'
    json read "${FAST[@]}" --mode=sysread,getc text
    query "$keys" >full
    json read "${FAST[@]}" --mode=sysread,getc "$BATS_FILE_TMPDIR/empty"
    query "$keys" >empty
    diff full empty
}

@test "a skipped case has the keys of a measured one" {
    json read "${FAST[@]}" --mode=sysread,mmap /proc/filesystems
    holds '(.results[0] | keys) == (.results[1] | keys)' '[.results[] | keys]'
    holds '(.results[0].summary | map_values(keys)) == (.results[1].summary | map_values(keys))'
    holds 'all(.results[1].summary[]; .median == null and .n == 0)'
}

@test "an error leaves all keys of the document" {
    json read "${FAST[@]}" text
    query keys >full
    json read "${FAST[@]}" missing
    query keys >failed
    diff full failed
}

@test "units stand in the names of figures" {
    json read --rounds=1 --trial-time=1ms --mode=sysread text
    # counts and identities need none
    holds '[.results[].trials[0], .results[].profile, .host | to_entries[]
            | select(.value | type == "number") | .key
            | select(test("_(ns|bytes|bytes_per_s|ratio)$") | not)]
           - ["round", "position", "passes", "bytes", "calls", "short_calls", "cpu", "minor_faults",
              "major_faults", "voluntary_switches", "involuntary_switches", "block_inputs",
              "usable_cpus", "load_1m", "interval"] == []' '.results[0] | [.trials[0], .profile]'
}

@test "standard output holds the document and nothing else, whatever goes wrong" {
    for arguments in "missing text" "--mode=mmap /proc/filesystems" "--prepare=false text" \
        "--mode=sysread,mmap /proc/self/mem text" "--bytes=1G text"; do
        json read "${FASTER[@]}" $arguments
        equal "$(head -c 1 "$OUT")$(tail -c 2 "$OUT")" '{}'
    done
}

@test "a locale with a decimal comma changes no number" {
    in_comma_locale
    json read "${FAST[@]}" --mode=sysread,getc text --export=all.csv --export=all.md --export=all.prom
    status_is 0
    figures_hold
    refute grep -E '[0-9],[0-9]' all.prom
    refute grep -E '[0-9],[0-9]+ [kMG]B/s' all.md
    # as many fields in each line as in the heading
    equal "$(awk -F, '{print NF}' all.csv <(sed 's/"[^"]*"//g' all.csv) | sort -u | tail -1)" \
        "$(head -1 all.csv | awk -F, '{print NF}')"
    iobench read "${FAST[@]}" --mode=sysread,getc text
    refute grep -E '[0-9],[0-9]+ ([kMG]?B/s|[mun]?s)' "$OUT"
}

@test "a locale with a decimal comma changes no option" {
    in_comma_locale
    json read --quick --rounds=1 --trial-time=0.5ms --time-limit=0.5 --mode=sysread,pread \
        --precision=0.25 text
    status_is 0
    holds '.options.time_limit_ns == 500000000 and .options.trial_time_ns == 500000
           and .options.precision_ratio == 0.0025' .options
    iobench read --time-limit=0,5 text
    status_is 2
}

@test "a document of many trials is whole" {
    json read --quick --rounds=150 --trial-time=1us --mode=sysread,pread -b 4k text
    status_is 0
    [ "$(wc -c <"$OUT")" -gt 65536 ] || fail "only $(wc -c <"$OUT") bytes"
    figures_hold
}

# --- where output cannot go

@test "a full device is an error, for a report as for one line" {
    for command in "read --quick --rounds=1 --trial-time=1us --mode=sysread text" \
        "read --json --quick --rounds=1 --trial-time=1us --mode=sysread text" \
        --version list help 'help read' 'read --help' 'read --version' \
        'read --dry-run --mode=sysread text' --help 'list --help'; do
        LAST_RUN="iobench $command >/dev/full"
        status=0
        timeout -s KILL $HANG "$IOBENCH" $command >/dev/full 2>"$ERR" 3>&- || status=$?
        status_is 3
        says 'standard output'
        says 'No space left on device'
    done
}

@test "a closed standard output is an error" {
    for command in "read --quick --rounds=1 --trial-time=1us --mode=sysread text" \
        "read --json --quick --rounds=1 --trial-time=1us --mode=sysread text" --version list help \
        'read --dry-run --mode=sysread text'; do
        LAST_RUN="iobench $command >&-"
        status=0
        timeout -s KILL $HANG "$IOBENCH" $command >&- 2>"$ERR" 3>&- || status=$?
        status_is 3
        says 'standard output'
    done
}

@test "a closed standard output spoils no exported file" {
    LAST_RUN='iobench read --export >&-'
    "$IOBENCH" read --json "${FASTER[@]}" --export=kept.json --mode=sysread text >&- 2>"$ERR" 3>&- || true
    is_report kept.json
}

@test "a reader that goes early is a quiet end" {
    for command in "read --quiet --quick --rounds=1 --trial-time=1us --mode=sysread text" \
        "read --quiet --json --quick --rounds=40 --trial-time=1us --mode=sysread,pread text" \
        --version list help; do
        LAST_RUN="iobench $command | head -c 0"
        timeout -s KILL $HANG "$IOBENCH" $command 2>"$ERR" 3>&- | head -c 0 || true
        says_nothing
    done
}

@test "a reader that goes early does not change the exit status" {
    { status=0; "$IOBENCH" read --quiet --json --quick --rounds=40 --trial-time=1us --mode=sysread,pread \
        text 2>"$ERR" 3>&- || status=$?; echo "$status" >status; } | head -c 1 >/dev/null
    equal "$(cat status)" 0 'exit status'
}

@test "a closed standard error hurts nothing" {
    status=0
    "$IOBENCH" read --json "${FASTER[@]}" --mode=sysread missing text >"$OUT" 2>&- 3>&- || status=$?
    LAST_RUN='iobench read 2>&-'
    status_is 3
    is_report "$OUT"
    holds 'all(.results[]; .status == "ok")'
}

# --- exports

@test "the JSON export is what --json prints" {
    json read "${FAST[@]}" --mode=sysread,getc --export=all.json text
    status_is 0
    cmp all.json "$OUT"
    iobench read "${FAST[@]}" --mode=sysread,getc --export=all.json text
    status_is 0
    is_report all.json
}

@test "the CSV export has one row a trial, with the figures of the JSON" {
    json read "${FAST[@]}" --mode=sysread,getc,mmap -b 4k,8k --threads=2 --export=all.csv \
        --export=all.json text
    status_is 0
    "$PYTHON" - all.csv all.json <<'PYTHON'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
results = json.load(open(sys.argv[2]))["results"]
trials = {(r["id"], t["warmup"], t["round"], t["position"], t["wall_ns"]): (r, t)
          for r in results for t in r["trials"]}
total = sum(len(r["trials"]) for r in results)
assert len(rows) == total, "%d rows, %d trials" % (len(rows), total)
for row in rows:
    assert None not in row and None not in row.values(), row
    key = (row["id"], row["warmup"] == "true", int(row["round"]), int(row["position"]),
           int(row["wall_ns"]))
    assert key in trials, key
    result, trial = trials[key]
    assert row["mode"] == result["mode"], row
    # "bytes" is a knob as well as a count: the count stands last
    for name, text in row.items():
        value = trial.get(name)
        if isinstance(value, bool) or name not in trial or name == "peer":
            continue
        assert text == ("" if value is None else str(value)), (name, text, value)
PYTHON
}

@test "a heading of the CSV names each column once" {
    iobench read "${FASTER[@]}" --mode=sysread --export=all.csv text
    head -n 1 all.csv | tr , '\n' | sort | uniq -d >twice
    equal "$(xargs <twice)" '' 'columns of one name'
}

@test "the Markdown export is a table with a row a case" {
    iobench read "${FAST[@]}" --mode=sysread,getc,mmap --export=all.md text
    status_is 0
    equal "$(grep -cE '^\| (sysread|getc|mmap) \|' all.md)" 3 rows
    # every row of the table has as many cells as its heading
    equal "$(grep '^|' all.md | sed 's/\\|//g' | tr -cd '|\n' | sort -u | wc -l)" 1 'widths of rows'
    refute grep -q "$escape" all.md
    grep -q 'text: 106 KiB' all.md || fail 'it does not say what was read'
    grep -qF "$("$IOBENCH" --version | sed -n '1s/^iobench //p')" all.md || fail 'it has no version'
}

@test "the OpenMetrics export is well formed, with the medians of the JSON" {
    json read "${FAST[@]}" --mode=sysread,getc,mmap --export=all.prom text
    status_is 0
    equal "$(tail -n 1 all.prom)" '# EOF'
    "$PYTHON" - all.prom "$OUT" <<'PYTHON'
import json, math, re, sys
lines = open(sys.argv[1]).read().split("\n")
document = json.load(open(sys.argv[2]))
assert lines[-2:] == ["# EOF", ""] and lines.count("# EOF") == 1
label = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
sample = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)\{(%s(?:,%s)*)\} (\S+)$" % (label, label))
types, family, seen, values = {}, None, set(), {}
for line in lines[:-2]:
    if line.startswith("# TYPE "):
        family = line.split(" ")[2]
        assert family not in types, family
        types[family] = line.split(" ")[3]
    elif line.startswith("# "):
        word, name = line.split(" ")[1:3]
        assert word in ("HELP", "UNIT") and name == family, line
        if word == "UNIT":
            assert name.endswith("_" + line.split(" ")[3]), line
    else:
        match = sample.match(line)
        assert match, line
        assert match.group(1) == family, line
        assert match.group(1, 2) not in seen, line
        seen.add(match.group(1, 2))
        number = float(match.group(3))
        assert math.isfinite(number), line
        values[match.group(1), re.search(r'id="([^"]*)"', line).group(1)] = number
assert set(types.values()) == {"gauge"}, types
for result in document["results"]:
    for name, metric, factor in (
            ("iobench_throughput_bytes_per_second", "bytes_per_s", 1),
            ("iobench_wall_per_pass_seconds", "wall_ns_per_pass", 1e-9),
            ("iobench_peak_rss_bytes", "peak_rss_bytes", 1)):
        got, expected = values[name, result["id"]], result["summary"][metric]["median"] * factor
        assert math.isclose(got, expected, rel_tol=1e-9), (name, got, expected)
PYTHON
}

@test "exports of an empty file are well formed" {
    iobench read "${FASTER[@]}" --export=e.csv --export=e.json --export=e.md --export=e.prom \
        "$BATS_FILE_TMPDIR/empty"
    status_is 0
    is_report e.json
    refute grep -qi -e '\bnan\b' -e '\binf\b' e.csv e.md e.prom
    equal "$(tail -n 1 e.prom)" '# EOF'
}

@test "a name with commas and quotes is one field, one cell, one label" {
    cp text 'a,"b"|c'
    iobench read "${FASTER[@]}" --mode=sysread --export=e.csv --export=e.md --export=e.json 'a,"b"|c'
    status_is 0
    is_report e.json
    "$PYTHON" -c 'import csv; assert all(None not in r and None not in r.values() for r in csv.DictReader(open("e.csv")))'
}

@test "an export replaces the old file, and leaves nothing beside it" {
    echo old >result.json
    iobench read "${FASTER[@]}" --mode=sysread --export=result.json text
    status_is 0
    is_report result.json
    equal "$(ls | grep -v -e '^text$' -e '^std' | xargs)" result.json 'files'
}

@test "an export has the permissions that the umask leaves" {
    umask 027
    iobench read "${FASTER[@]}" --mode=sysread --export=result.json text
    equal "$(stat -c %a result.json)" 640 permissions
}

@test "repeated exports are all written" {
    iobench read "${FASTER[@]}" --mode=sysread -e a.json -e b.json -e c.csv text
    status_is 0
    cmp a.json b.json
    [ -s c.csv ]
}

@test "a full device keeps the old export and leaves nothing beside it" {
    mkdir full
    LAST_RUN='iobench read --export on a full device'
    status=0
    unshare -m true 2>/dev/null || unshare -rm true 2>/dev/null || skip 'nothing can be mounted here'
    in_namespace=(unshare -m)
    [ "$(id -u)" = 0 ] || in_namespace=(unshare -rm)
    "${in_namespace[@]}" sh -c '
        mount -t tmpfs -o size=8k tmpfs full || exit 77
        echo old >full/result.json
        head -c 100000 /dev/zero >full/filler 2>/dev/null
        "$0" read --json --quick --rounds=1 --trial-time=1us --mode=sysread \
            --export=full/result.json text
        echo $? >status
        cat full/result.json >kept
        ls full >left' "$IOBENCH" >"$OUT" 2>"$ERR" 3>&- || status=$?
    [ "$status" != 77 ] || skip 'nothing can be mounted here'
    equal "$(cat status)" 3 'exit status'
    says "cannot write 'full/result.json': No space left on device"
    equal "$(cat kept)" old 'the old export'
    equal "$(xargs <left)" 'filler result.json' 'files'
    is_report "$OUT"
}

@test "a directory that may not be written to is refused before anything is measured" {
    as_ordinary_user
    mkdir locked-directory
    chmod 555 locked-directory
    iobench read "${FASTER[@]}" --prepare='touch prepared' --export=locked-directory/result.json text
    status_is 2
    says "'locked-directory/result.json': Permission denied"
    [ ! -e prepared ] || fail 'something was run'
}

@test "an export that fails does not spoil the others" {
    iobench read --json "${FASTER[@]}" --mode=sysread --export=/proc/result.json --export=kept.csv text
    [ "$status" = 2 ] || {
        status_is 3
        is_report "$OUT"
        [ -s kept.csv ] || fail 'the other export is missing'
    }
    says /proc/result.json
}

# --- exit status

@test "the gate ends with 1 and a sentence when a case is surely slower" {
    for format in --quiet --json; do
        iobench read --quick --rounds=20 --trial-time=1ms --mode=sysread,getc --baseline=sysread \
            --max-slowdown=10 $format text
        status_is 1
        says read/getc
        says read/sysread
        says '10 % allowed'
    done
    is_report "$OUT"
    figures_hold
    holds '.comparisons[0].verdict == "slower" and .errors == []' .comparisons
}

@test "the gate is passed by equal cases within a wide bound" {
    head -c 8M /dev/zero >large # a pass fills the trial, whatever the warm-up said
    for format in --quiet --json; do
        iobench read --quick --rounds=20 --trial-time=1us --mode=sysread,sysread \
            --baseline='sysread#1' --max-slowdown=80 $format large
        status_is 0
        refute grep -q allowed "$ERR"
    done
}

@test "a gate between commands is between them alone" {
    commands=(--exec='base=sleep 0.002' --exec='new=sleep 0.001' --quick --rounds=20 --trial-time=1us)
    json read "${commands[@]}" --baseline=base --max-slowdown=80 text
    status_is 0
    holds '[.results[].mode] == ["base", "new"] and .options.mode == []' '[.results[].mode]'
    json read "${commands[@]}" --rounds=1 --baseline=base text # no gate
    holds '[.results[].mode] | index("getc") != null' '[.results[].mode]'
    json read "${commands[@]}" --rounds=1 --baseline=base --max-slowdown=80 --mode=sysread text
    holds '[.results[].mode] == ["sysread", "base", "new"]' '[.results[].mode]'
    json read --exec='mine=sleep 0.001' --quick --rounds=1 --baseline=mine --max-slowdown=80 text
    holds '[.results[].mode] | index("sysread") != null' '[.results[].mode]'
    iobench read --dry-run "${commands[@]}" --baseline=sysread --max-slowdown=80 text
    status_is 0
    prints read/getc
}

@test "the gate is passed by a case that is faster" {
    iobench read "${SURE[@]}" --mode=sysread,getc --baseline=getc --max-slowdown=10 text
    status_is 0
    refute grep -q allowed "$ERR"
}

@test "a gate that finds nothing surely is passed, unless --strict" {
    for format in --quiet --json; do
        iobench read --quick --rounds=2 --trial-time=1ms --mode=sysread,getc --baseline=sysread \
            --max-slowdown=10 $format text
        status_is 0
        iobench read --quick --rounds=2 --trial-time=1ms --mode=sysread,getc --baseline=sysread \
            --max-slowdown=10 --strict $format text
        status_is 4
    done
}

@test "--strict ends with 4 when a comparison is open, with 0 when it is settled" {
    iobench read --quick --rounds=2 --trial-time=1ms --mode=sysread,getc --strict text
    status_is 4
    iobench read "${SURE[@]}" --mode=sysread,getc --strict text
    status_is 0
    iobench read --quick --rounds=2 --trial-time=1ms --mode=sysread --strict text
    status_is 0
}

@test "what could not be measured counts more than the gate, the gate more than --strict" {
    iobench read "${SURE[@]}" --mode=sysread,getc --baseline=sysread --max-slowdown=10 missing text
    status_is 3
    iobench read "${SURE[@]}" --mode=sysread,sysread,getc --baseline='sysread#1' --max-slowdown=10 \
        --strict text
    status_is 1
}

@test "advice on more rounds is one that can be followed" {
    json read --quick --rounds=2 --trial-time=1ms --mode=sysread,getc text
    # --rounds was given: no time limit would add a round to it
    holds 'all(.warnings[]; .message | test("--time-limit") | not)' .warnings
}
