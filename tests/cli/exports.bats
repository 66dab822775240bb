# Exports for other programs: each is read back by another reader, and must hold the figures of the JSON
# of the same run, to the last digit.

load common

KINDS=(bmf.json gha-smaller.json gha-bigger.json gbench.json dat prom)
COMPARED=(bmf.json gha-smaller.json dat prom)

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    seq 1 20000 >text
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR/text" text
    "$PYTHON" -c 'import jsonschema' 2>/dev/null || skip 'no python with jsonschema'
}

# A command that needs every escape; it reads the file.
HOSTILE=$'cat {} # "quoted" \'too\' | back\\slash, <b>tag</b> \xc3\xbc\xe2\x82\xac \xff \\| $x ?\n: second line'

# exported COMMAND ARGUMENT...: all kinds of exports, and all.json, of one run.
exported() {
    local kind exports=(--export=all.json)
    for kind in "${KINDS[@]}"; do exports+=("--export=all.$kind"); done
    iobench "$@" "${exports[@]}"
    is_report all.json
}

# matches [compared-]: every export fits all.json.
matches() {
    local kind name
    for kind in "${KINDS[@]}"; do
        [ -e "all.$kind" ] || continue
        [ "$kind" != prom ] || "$PYTHON" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null || continue
        name=${kind%.json}
        "$PYTHON" "$BATS_TEST_DIRNAME/exports.py" "$1${name#gha-}" "all.$kind" all.json ||
            fail "$kind does not hold what the JSON holds"
    done
}

@test "every kind of export holds the figures of the JSON, file by file" {
    exported read "${FAST[@]}" --mode=sysread,getc,mmap -b 4k,64k -t 1,2 --latency text
    status_is 0
    matches
    equal "$(jq 'keys | length' all.bmf.json)" 8 'cases'
    equal "$(jq 'map(select(.name | endswith("bytes_per_s"))) | length' all.gha-bigger.json)" 8 'entries'
}

@test "the same of streams and of events" {
    exported recv "${FAST[@]}" --mode=recv,epoll -b 4k,64k
    status_is 0
    matches
    exported epoll "${FAST[@]}" --mode=epoll,poll --handles=4,8 --latency
    status_is 0
    matches
    grep -q '^# x: handles$' all.dat || fail 'the handles were swept'
    equal "$(jq 'map(select(.name | endswith(": events_per_s"))) | length' all.gha-bigger.json)" 4 'entries'
}

@test "a case that failed or was skipped is left out, with no zero in its place" {
    exported read "${FAST[@]}" --mode=sysread,mmap --exec='broken=exit 7' /proc/filesystems
    status_is 3
    matches
    holds_none() { refute grep -q "$1" all.bmf.json all.gha-smaller.json all.gha-bigger.json all.gbench.json all.dat all.prom; }
    holds_none mmap
    holds_none broken
    equal "$(jq -r '.results[] | select(.status != "ok") | .mode' all.json | xargs)" 'mmap broken'
}

@test "where nothing was measured the exports are empty, and whole" {
    exported read "${FASTER[@]}" --mode=mmap /proc/filesystems
    status_is 3
    matches
    equal "$(jq -c . all.bmf.json)" '{}'
    equal "$(jq -c . all.gha-smaller.json)" '[]'
    equal "$(jq -c .benchmarks all.gbench.json)" '[]'
    equal "$(cat all.prom)" '# EOF'
}

@test "one trial has no range, and is no aggregate" {
    exported read --quick --rounds=1 --trial-time=100us --mode=sysread text
    status_is 0
    matches
    equal "$(jq 'map(has("range")) | any' all.gha-smaller.json)" false 'range'
    equal "$(jq '.benchmarks | length' all.gbench.json)" 1 'benchmarks'
}

@test "an empty file gives times and no rates" {
    : >empty
    exported read "${FAST[@]}" --mode=sysread empty
    status_is 0
    matches
    equal "$(jq -c . all.gha-bigger.json)" '[]'
    refute grep -qiE '\b(nan|inf)' all.*
}

@test "a name with quotes, bars, a newline, and bytes that are not UTF-8 stays one name" {
    exported read "${FASTER[@]}" --mode=sysread --exec="$HOSTILE" text -e all.csv -e all.md
    status_is 0
    matches
    equal "$(jq '.results | length' all.json)" 2
    "$PYTHON" - <<'PY'
import csv, json
document = json.load(open("all.json"))
ids = {r["id"] for r in document["results"]}
with open("all.csv", encoding="utf-8", newline="") as stream:
    rows = list(csv.DictReader(stream))
assert {row["id"] for row in rows} == ids, ids
table = [line for line in open("all.md", encoding="utf-8") if line.startswith("|")]
# cells as GitHub's parser cuts them: an escaped character is no end
import re
cells = [len(re.findall(r"\|(?:\\.|[^|\\])*", line.rstrip("\n"))) for line in table]
assert len(table) == 4 and len(set(cells)) == 1, (cells, table)
assert not re.search("<b>", "".join(table)), table
PY
}

@test "numbers keep their point under a locale with a comma" {
    mkdir locale
    localedef -i de_DE -f UTF-8 locale/de_DE.UTF-8 >/dev/null 2>&1 || true
    UNDER=(env LOCPATH="$PWD/locale" LC_ALL=de_DE.UTF-8)
    [ "$("${UNDER[@]}" printf '%.1f' 1,5 2>/dev/null)" = 1,5 ] || skip 'no locale with a decimal comma can be made'
    exported read "${FAST[@]}" --mode=sysread,mmap text
    status_is 0
    matches
}

@test "Google's compare.py reads two runs, and finds no difference between a run and itself" {
    [ -e /usr/share/benchmark/compare.py ] || skip 'compare.py is not installed'
    "$PYTHON" -c 'import numpy' 2>/dev/null || skip 'no python with numpy'
    mkdir -p scipy # of which one function is called, when no test is asked for
    : >scipy/__init__.py
    printf '%s\n' 'import numpy' 'mannwhitneyu = None' \
        'def gmean(a): return numpy.exp(numpy.log(numpy.array(a)).mean(axis=0))' >scipy/stats.py
    exported read "${FAST[@]}" --mode=sysread,mmap --exec="$HOSTILE" text
    status_is 0
    PYTHONPATH=$PWD "$PYTHON" /usr/share/benchmark/compare.py --no-color --no-utest \
        benchmarks all.gbench.json all.gbench.json >said 2>&1 || fail "$(tail -n 3 said)"
    equal "$(grep -c '^read/mmap .*+0.0000 .*+0.0000' said)" 6 'trials of mmap'
    equal "$(grep -c '^read/mmap_median .*+0.0000 .*+0.0000' said)" 1 'its median'
}

@test "a full device keeps every old export, with exit 3" {
    unshare -m true 2>/dev/null || unshare -rm true 2>/dev/null || skip 'nothing can be mounted here'
    in_namespace=(unshare -m)
    [ "$(id -u)" = 0 ] || in_namespace=(unshare -rm)
    mkdir full
    for kind in "${KINDS[@]}"; do
        status=0
        "${in_namespace[@]}" sh -c '
            mount -t tmpfs -o size=8k tmpfs full || exit 77
            echo old >"full/x.$1"
            head -c 100000 /dev/zero >full/filler 2>/dev/null
            "$0" read --quick --rounds=2 --trial-time=1us --mode=sysread "--export=full/x.$1" text
            echo $? >status
            cat "full/x.$1" >kept
            ls full >left' "$IOBENCH" "$kind" >"$OUT" 2>"$ERR" 3>&- || status=$?
        [ "$status" != 77 ] || skip 'nothing can be mounted here'
        equal "$(cat status)" 3 "exit status of $kind"
        says "cannot write 'full/x.$kind': No space left on device"
        equal "$(cat kept)" old "the old $kind"
        equal "$(xargs <left)" "filler x.$kind" 'files'
    done
}

@test "an ending of two words that is nearly one of ours is refused, another is plain JSON" {
    for name in x.gha.json x.gha-small.json x.GHA-smaller.json x.bmf2.json x.bmf.csv x.gbench.md x.bencher.json; do
        iobench read "${FASTER[@]}" --mode=sysread --export="$name" text
        status_is 2
        says "--export: '$name': there is no kind '${name#x}', only .bmf.json "
        [ ! -e "$name" ] || fail "$name was written"
    done
    mkdir dir.gha
    iobench read "${FASTER[@]}" --mode=sysread -e dir.gha/x.json text # dots of a directory are none of ours
    status_is 0
    iobench read "${FASTER[@]}" --mode=sysread -e base.old.json -e 2026.11.json -e gha.json text
    status_is 0
    is_report base.old.json
    is_report 2026.11.json
    is_report gha.json
    iobench read --export=x.xml text
    status_is 2
    says "--export: 'x.xml' ends in none of .bmf.json .gha-smaller.json .gha-bigger.json .gbench.json .json .csv"
}

# --- gnuplot

# drawn FILE PICTURE [FIGURE]: no word is said.
drawn() {
    need gnuplot
    timeout 60 gnuplot -c "$IOBENCH_SOURCE/contrib/plots/iobench.gp" "$@" >said 2>&1 || fail "$(cat said)"
    [ ! -s said ] || fail "gnuplot says: $(cat said)"
}

# refuses_to_draw SENTENCE ARGUMENT...
refuses_to_draw() {
    need gnuplot
    refute timeout 60 gnuplot -c "$IOBENCH_SOURCE/contrib/plots/iobench.gp" "${@:2}" >said 2>&1
    grep -qF "$1" said || fail "gnuplot says: $(cat said)"
}

@test "the gnuplot script draws a sweep as lines, and what has no block size as a dashed one" {
    iobench read "${FAST[@]}" --mode=sysread,mmap,fread -b 4k,16k,64k --latency text -e sweep.dat
    drawn sweep.dat sweep.svg
    for words in sysread mmap fread block_size 'bytes_per_s (B/s)' "iobench .* read"; do
        grep -q ">$words[ ]*</text>" sweep.svg || fail "the picture does not say $words"
    done
    equal "$(grep -c 'stroke-dasharray' sweep.svg | sed 's/^[1-9][0-9]*$/some/')" some 'dashes'
    "$PYTHON" -c 'import xml.dom.minidom; xml.dom.minidom.parse("sweep.svg")'
    drawn sweep.dat sweep.png latency_p50_ns
    equal "$(head -c 4 sweep.png | tail -c 3)" PNG
}

@test "the gnuplot script draws cases without a sweep as bars, with hostile names" {
    iobench read "${FAST[@]}" --mode=sysread,mmap --exec="$HOSTILE" text -e bars.dat
    drawn bars.dat bars.svg
    "$PYTHON" -c 'import xml.dom.minidom; xml.dom.minidom.parse("bars.svg")'
    grep -qF "cat {} # 'quoted' 'too' | back\\slash, &lt;…" bars.svg || fail 'the name is another'
    iobench epoll "${FAST[@]}" --mode=epoll,poll --handles=16 -e events.dat
    drawn events.dat events.svg
    grep -q '>events_per_s (events/s)' events.svg || fail 'events are not the figure'
}

@test "the gnuplot script refuses what it cannot draw, in a sentence" {
    iobench read "${FASTER[@]}" --mode=sysread text -e some.dat
    iobench read "${FASTER[@]}" --mode=mmap /proc/filesystems -e none.dat
    refuses_to_draw "usage: gnuplot -c iobench.gp" some.dat
    refuses_to_draw "iobench.gp: 'x.gif' ends in none of .svg .png .pdf" some.dat x.gif
    refuses_to_draw "iobench.gp: there is no figure 'speed'" some.dat x.svg speed
    refuses_to_draw "iobench.gp: nothing in 'some.dat' has the figure 'lost_ratio'" some.dat x.svg lost_ratio
    refuses_to_draw "iobench.gp: 'text' was not written by iobench --export=FILE.dat" text x.svg
    refuses_to_draw 'iobench.gp: ' none.dat x.svg
    equal "$(echo x.*)" 'x.*' 'pictures'
}

# --- comparisons

@test "the exports of a comparison hold its ratios and intervals" {
    exported read --quick --rounds=12 --trial-time=100us --mode=sysread,mmap,getc --latency --baseline=sysread \
        --exec="$HOSTILE" text
    mv all.json base.json
    rm -f all.*
    jq '.results[2].trials[] |= (.wall_ns *= 30)' base.json >new.json
    local kind exports=(--export=all.json)
    for kind in "${COMPARED[@]}"; do exports+=("--export=all.$kind"); done
    iobench compare base.json new.json --run-noise=1 --max-slowdown=10 "${exports[@]}"
    status_is 1
    matches compared-
    holds_control() { grep -q '"read/sysread' "$1"; }
    refute holds_control all.bmf.json
    jq -e '.[] | select(.name == "read/getc: wall_ns_per_byte_ratio") | .value > 10' all.gha-smaller.json ||
        fail 'getc did not take longer'
}

@test "a refused comparison leaves its JSON, and no empty export beside it" {
    "$IOBENCH" read "${FASTER[@]}" --mode=sysread,mmap -q -e base.json text >/dev/null
    jq '.command = "recv"' base.json >new.json
    iobench compare base.json new.json -e all.json -e all.bmf.json -e all.prom -e all.dat
    status_is 3
    equal "$(echo all.*)" all.json 'files'
}

@test "compare refuses what it has no figures for, with the reason" {
    iobench compare a.json b.json --export=x.gha-bigger.json
    status_is 2
    says "--export: 'x.gha-bigger.json': all figures of a comparison are costs"
    iobench compare a.json b.json --export=x.gbench.json
    status_is 2
    says "--export: 'x.gbench.json': Google's compare.py compares two runs itself"
    iobench compare a.json b.json --export=x.gha.json
    status_is 2
    says "there is no kind '.gha.json', only .bmf.json .gha-smaller.json .json .csv .md .prom .dat"
}
