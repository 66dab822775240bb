# iobench-plot: pictures and a page from the documents of iobench.
#
# PYTHON_MATPLOTLIB is a Python that has the module matplotlib. plot.py looks into the figures, page.py
# at the page in a headless Chromium.

load common

setup_file() {
    : "${PYTHON_MATPLOTLIB:=/usr/bin/python3}"
    export PYTHON_MATPLOTLIB
    "$PYTHON_MATPLOTLIB" -c 'import matplotlib.layout_engine' 2>/dev/null || return 0
    cd "$BATS_FILE_TMPDIR"
    : >can-draw
    mkdir matplotlib && export MPLCONFIGDIR=$PWD/matplotlib
    yes 'a line of text' | head -n 20000 >text
    local read=("$IOBENCH" read --quick --trial-time=200us --json -q) status=0
    "${read[@]}" --rounds=12 -m sysread,fread,mmap --latency --label=a=b text >read.json
    "${read[@]}" --rounds=8 -m sysread,fread,mmap text >other.json
    "${read[@]}" --rounds=6 -m sysread,pread,mmap -b 512,4k,64k text >sweep.json
    "${read[@]}" --rounds=4 -m sysread,mmap --consume=none,lines --exec bad=false text >failed.json || status=$?
    [ $status = 3 ]
    "${read[@]}" --rounds=2 -m mmap --consume=none text >nothing.json || true
    "${read[@]}" --rounds=1 -m sysread text >single.json
    "${read[@]}" -m sysread missing >missing.json || true
    "$IOBENCH" recv --quick --rounds=4 --trial-time=1ms -m recv,epoll --json -q >recv.json
    "$IOBENCH" epoll --quick -m epoll,poll --handles=20 --duration=60ms --interval=10ms --json -q >watched.json
    "$IOBENCH" epoll --quick --rounds=14 --trial-time=1ms -m epoll,poll,select --handles=8,512 --active=1,100 \
        -q -e map.json >map.txt
    mkdir looked
    # one process for all checks: a Python with matplotlib takes a second to start
    "$PYTHON_MATPLOTLIB" "$BATS_TEST_DIRNAME/plot.py" "$IOBENCH_SOURCE/contrib/plots/iobench-plot" looked <<'PLAN'
every_kind_is_drawn_in_every_format sweep=sweep.json bars=failed.json cpu=recv.json forest=read.json rounds=read.json latency=read.json intervals=watched.json crossover=map.json
kinds_refuse_documents_that_lack_the_figures single.json
bars_show_medians_and_trials read.json
what_is_missing_is_no_zero failed.json
a_sweep_stands_on_powers_of_two sweep.json
a_forest_shows_ratios_and_what_counts_as_the_same read.json
a_latency_curve_goes_through_the_percentiles read.json
an_echo_has_a_curve_for_either_basis other.json
processor_time_stands_beside recv.json
intervals_are_steps watched.json
a_map_says_what_the_report_says map.json map.txt
several_files_lie_over_each_other read.json other.json
ranks_and_ratios_are_those_of_iobench
spoilt_documents_are_drawn_or_refused read.json watched.json
PLAN
}

setup() {
    [ -e "$BATS_FILE_TMPDIR/can-draw" ] ||
        skip 'there is no python with matplotlib'
    export MPLCONFIGDIR=$BATS_FILE_TMPDIR/matplotlib
    cd "$BATS_TEST_TMPDIR"
    ln -s "$BATS_FILE_TMPDIR"/*.json "$BATS_FILE_TMPDIR/map.txt" .
    mkdir work && cd work
    BATS_PLOT=$IOBENCH_SOURCE/contrib/plots/iobench-plot
}

# plot ARGUMENT...: runs it as iobench is run.
plot() {
    LAST_RUN="iobench-plot $*"
    status=0
    timeout -s KILL $HANG "${UNDER[@]}" "$PYTHON_MATPLOTLIB" "$BATS_PLOT" "$@" >"$OUT" 2>"$ERR" 3>&- || status=$?
}

# looked CHECK: what plot.py has found.
looked() {
    [ -e "$BATS_FILE_TMPDIR/looked/$1" ] || fail "plot.py did not come to $1"
    [ ! -s "$BATS_FILE_TMPDIR/looked/$1" ] || fail "$(<"$BATS_FILE_TMPDIR/looked/$1")"
}

# refuses STATUS WORDS ARGUMENT...: one line with these words, and nothing written.
refuses() {
    plot "${@:3}"
    status_is "$1"
    equal "$(wc -l <"$ERR")" 1 'lines on standard error'
    says 'iobench-plot: '
    says "$2"
    prints_nothing
    equal "$(find . -name '*.svg' -o -name '*.html' -o -name '.iobench*')" '' 'left behind'
}

# --- what is drawn

@test "every kind of picture is drawn as SVG, PNG and PDF" {
    looked every_kind_is_drawn_in_every_format
        forest=../read.json rounds=../read.json latency=../read.json intervals=../watched.json \
        crossover=../map.json
}

@test "a kind refuses a document that lacks its figures" {
    looked kinds_refuse_documents_that_lack_the_figures
}

@test "bars show the medians, a point for every trial, and begin at zero" {
    looked bars_show_medians_and_trials
}

@test "what is missing is no zero: bars, sweeps and rounds have a hole and say why" {
    looked what_is_missing_is_no_zero
}

@test "a sweep stands on powers of two, with its intervals" {
    looked a_sweep_stands_on_powers_of_two
}

@test "a forest shows the ratios of the document and what counts as the same" {
    looked a_forest_shows_ratios_and_what_counts_as_the_same
}

@test "a latency curve goes through the percentiles of the document" {
    looked a_latency_curve_goes_through_the_percentiles
}

@test "requests have a curve from the intended start and one from the send" {
    looked an_echo_has_a_curve_for_either_basis
}

@test "processor time stands beside the throughput, that of the other end on top" {
    looked processor_time_stands_beside
}

@test "intervals are steps of the rates in the document" {
    looked intervals_are_steps
}

@test "a map says what the report of the same run says" {
    looked a_map_says_what_the_report_says
}

@test "several files lie over each other" {
    looked several_files_lie_over_each_other
}

@test "ranks, ratios, units and buckets have their known answers" {
    looked ranks_and_ratios_are_those_of_iobench
}

@test "the caption has the version, the kernel, the rounds and the time" {
    plot ../read.json -o x.svg
    status_is 0
    says_nothing
    prints_nothing
    for text in "iobench $(jq -r .iobench_version ../read.json) read" "$(jq -r .host.kernel ../read.json)" \
        '12 rounds' "$(jq -r .started_at ../read.json)"; do
        grep -qF "$text" x.svg || fail "no '$text' in the caption"
    done
}

@test "the same document gives the same picture" {
    mkdir again
    for place in . again; do
        plot cpu ../sweep.json -o $place/a.svg -o $place/a.png -o $place/a.pdf
        status_is 0
    done
    for file in a.*; do
        cmp "$file" "again/$file"
    done
}

@test "all draws every picture that fits, and says their names" {
    plot all ../other.json -o a.svg -o b.pdf
    status_is 0
    equal "$(xargs <"$OUT")" 'a-bars.svg a-cpu.svg a-forest.svg a-rounds.svg b.pdf' 'names'
    ls $(<"$OUT") >/dev/null
    equal "$(grep -ac '/Type /Page ' b.pdf)" 4 'pages'
}

@test "without a kind the one is drawn that fits" {
    plot - -o sweep.svg <../sweep.json
    grep -q 'Throughput by block size' sweep.svg
    plot ../watched.json -o watched.svg --title='My own <title> & $more$'
    grep -qF 'My own &lt;title&gt; &amp; $more$' watched.svg
    plot sweep ../sweep.json ../sweep.json --labels=old,new --case=sysread --log -o two.svg
    status_is 0
    grep -q '>old<' two.svg && grep -q '>new<' two.svg || fail 'no labels'
    refute grep -q '>pread<' two.svg
}

# --- what is refused

@test "a file that is no document is refused in one line, and nothing is written" {
    refuses 3 "cannot read 'nosuch': No such file or directory" nosuch -o x.svg
    refuses 3 'Is a directory' . -o x.svg
    : >empty && refuses 3 'empty' empty -o x.svg
    echo 'mode block throughput' >text && refuses 3 'not JSON: line 1, column 1' text -o x.svg
    printf '\xff\xfe{}' >bytes && refuses 3 'not UTF-8' bytes -o x.svg
    head -c 5000 ../read.json >torn && refuses 3 'cut off' torn -o x.svg
    echo '{"a": 1}' >other && refuses 3 'no document of iobench' other -o x.svg
    echo '[1, 2]' >other && refuses 3 'no document of iobench' other -o x.svg
    jq '.schema_version = 2' ../read.json >two && refuses 3 'schema_version 2 is not known' two -o x.svg
    sed 's/"elapsed_ns": *[0-9]*/"elapsed_ns": NaN/' ../read.json >nan && refuses 3 'NaN is no JSON' nan -o x.svg
    sed 's/"elapsed_ns": *[0-9]*/"elapsed_ns": 1e999/' ../read.json >inf && refuses 3 'elapsed_ns' inf -o x.svg
    sed 's/"elapsed_ns":/"seed": 1, "elapsed_ns":/' ../read.json >twice && refuses 3 "'seed' stands twice" twice -o x.svg
    head -c 200000 /dev/zero | tr '\0' '[' >deep && refuses 3 'nested too deeply' deep -o x.svg
    head -c 70M /dev/zero >huge && refuses 3 'larger than 64 MiB' huge -o x.svg
    jq '.results[1].trials[2].wall_ns = "1"' ../read.json >typed &&
        refuses 3 'results[1].trials[2].wall_ns: a number was expected' typed -o x.svg
    jq '.results[0].trials[0].wall_ns = -1' ../read.json >typed &&
        refuses 3 'results[0].trials[0].wall_ns: a whole number' typed -o x.svg
    "$IOBENCH" compare --json -q ../read.json ../other.json >compared || true
    refuses 3 'a comparison' compared -o x.svg
}

@test "a document without figures says why there are none" {
    refuses 3 "no results: cannot open 'missing': No such file or directory" ../missing.json -o x.svg
    refuses 3 'nothing was measured: mmap: mmap moves no byte' ../nothing.json -o x.svg
    refuses 3 'no results' report ../missing.json -o x.html
    refuses 3 'runs of read and recv cannot stand in one picture' ../read.json ../recv.json -o x.svg
    refuses 3 "no case is called 'getc'" --case=getc ../read.json -o x.svg
    refuses 3 "no figure 'speed' was measured" --metric=speed ../read.json -o x.svg
}

@test "a wrong command line is refused before anything is read" {
    refuses 2 'where to?' nosuch
    refuses 2 'no FILE' -o x.svg
    refuses 2 'must end in .svg, .png, .pdf' nosuch -o x.gif
    refuses 2 'must end in .html' report nosuch -o x.svg
    refuses 2 'unrecognized arguments: --nosuch' nosuch --nosuch -o x.svg
    refuses 2 '--x means nothing to bars' bars nosuch --x=threads -o x.svg
    refuses 2 '--width means nothing to report' report nosuch --width=5 -o x.html
    refuses 2 'exclude each other' nosuch --zoom --log -o x.svg
    refuses 2 '--width' nosuch --width=nan -o x.svg
    refuses 2 '--dpi' nosuch --dpi=0 -o x.svg
    refuses 2 'have the same name' nosuch -o x.svg -o ./x.svg
    refuses 2 'only once' - - -o x.svg
    refuses 2 '--labels: 3 for 1 files' ../read.json --labels=a,b,c -o x.svg
    refuses 2 'unrecognized arguments: --labe' ../read.json --labe=a -o x.svg
}

@test "a picture that cannot be written leaves nothing, and the old one as it was" {
    refuses 3 "cannot write '" bars ../read.json -o nosuch/x.svg
    mkdir there
    echo old >there/x.svg
    status=0
    (ulimit -f 1 && "$PYTHON_MATPLOTLIB" "$BATS_PLOT" bars ../read.json -o there/x.svg) >"$OUT" 2>"$ERR" || status=$?
    status_is 3
    says "cannot write '"
    equal "$(ls -A there) $(cat there/x.svg)" 'x.svg old' 'in the directory'
}

@test "a document that is spoilt anywhere is drawn or refused, never a traceback" {
    looked spoilt_documents_are_drawn_or_refused
}

@test "without matplotlib it says what to install, and --help works" {
    mkdir -p none/matplotlib
    echo 'raise ImportError' >none/matplotlib/__init__.py
    UNDER=(env PYTHONPATH="$PWD/none")
    refuses 3 'matplotlib is missing (on Debian: apt-get install python3-matplotlib)' ../read.json -o x.svg
    plot --help
    status_is 0
    prints 'crossover'
}

@test "a home that cannot be written to is no reason to complain" {
    UNDER=(env -u MPLCONFIGDIR HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent XDG_CACHE_HOME=/nonexistent)
    plot bars ../single.json -o x.png
    status_is 0
    says_nothing
}

@test "the program that is built names its interpreter and iobench's version" {
    local built
    built=$(dirname "$IOBENCH")/iobench-plot
    [ -x "$built" ] || skip 'it is not built'
    equal "$(head -n 1 "$built")" "#!$PYTHON_MATPLOTLIB" 'first line'
    equal "$("$built" --version | cut -d ' ' -f 2)" "$("$IOBENCH" --version | sed -n '1s/^iobench //p')" 'version'
}

# --- the page

# Strings that would be harmful if they were taken for HTML.
HOSTILE='(.results[0] | .mode, .id) = "read/<script>window.planted=1</script> $\\frac{$ \"q\" '"'"'x'"'"' \u202e"
    | .host.cpu_model = "<img src=x onerror=window.planted=2>" | .argv[1] = "</script><script>window.planted=3</script>"
    | .labels = {"a": "</style><svg onload=window.planted=4>"} | .source.files[0].path = "\"><script>window.planted=5</script>"
    | .warnings = [{"code": "x", "message": "</li><iframe src=http://127.0.0.1:9/>"}]
    | .results[1].status = "failed" | .results[1].reason = "<a href=javascript:window.planted=6>" | .results[1].summary = {}
    | .results[1].trials = [] | .comparisons[0].verdict = "<b onclick=window.planted=7>"'

chromium() {
    local name
    for name in chromium chromium-browser google-chrome; do
        ! command -v "$name" || return 0
    done
    skip 'chromium is not installed'
}

@test "the page is whole in a browser: every figure, sorting, no script but ours, no request" {
    browser=$(chromium) || skip 'chromium is not installed'
    jq "$HOSTILE" ../read.json >'<b>"hostile".json'
    plot report ../read.json ../watched.json -o page.html
    status_is 0
    says_nothing
    plot report '<b>"hostile".json' --title='</title><script>window.planted=8</script>' -o hostile.html
    status_is 0
    says_nothing
    "$PYTHON_MATPLOTLIB" "$BATS_TEST_DIRNAME/page.py" "$browser" page.html hostile.html >looked || fail "$(<looked)"
    grep -q 'page.html 400 light: .*bars.*forest.*latency.*intervals' looked || fail "$(<looked)"
    # what is attached is the document, byte for byte
    grep -oE 'href="data:application/json;base64,[^"]*"' page.html | head -n 1 | sed 's/.*base64,//; s/"$//' | base64 -d |
        cmp - ../read.json
}

@test "that test sees a script, a request, a wide page and a figure that is gone" {
    browser=$(chromium) || skip 'chromium is not installed'
    plot report ../single.json -o page.html
    sed 's|<main>|<main><script>console.log(1)</script>|' page.html >script.html
    sed 's|img-src data:|img-src *|; s|<main>|<main><img src="http://127.0.0.1:9/x.png">|' page.html >request.html
    sed 's|<main>|<main><p style="width: 3000px">wide</p>|' page.html >wide.html
    sed 's|<figure |<figure style="display: none" |' page.html >gone.html
    "$PYTHON_MATPLOTLIB" "$BATS_TEST_DIRNAME/page.py" "$browser" script.html request.html wide.html gone.html >looked &&
        fail "$(<looked)"
    for line in '2 scripts' 'request: http://127.0.0.1:9/x.png' 'a page of 30' 'figure bars: '; do
        grep -qF "$line" looked || fail "not seen: $line" "$(<looked)"
    done
}

@test "the page asks nobody for anything" {
    plot report ../other.json -o page.html
    grep -qF "default-src 'none'" page.html || fail 'there is no policy'
    # name spaces are names
    grep -oE '(https?:)?//[a-zA-Z0-9.]+[^" ]*' page.html | grep -v '^http://www.w3.org/' |
        grep -vE '^//[A-Za-z0-9+/=]*$' >addresses || true
    equal "$(cat addresses)" '' 'addresses'
    equal "$(grep -oE '<(script|link|img|iframe)\b' page.html | sort | uniq -c | xargs)" '1 <link 1 <script' 'elements'
}

@test "a run in which all failed still has its page" {
    plot report ../nothing.json -o page.html
    status_is 0
    says_nothing
    grep -q 'mmap moves no byte' page.html || fail 'no reason on the page'
}
