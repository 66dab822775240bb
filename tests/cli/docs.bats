# What is written about the program says what the program does: manual, schema, completion.
#
# IOBENCH is the binary under test, IOBENCH_SOURCE the source tree, PYTHON_JSONSCHEMA a python with
# jsonschema. Nothing is written into the source tree.

setup_file()
{
    : "${IOBENCH_SOURCE:=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}"
    : "${IOBENCH:=$IOBENCH_SOURCE/build/iobench}"
    : "${PYTHON_JSONSCHEMA:=/usr/bin/python3}"
    export IOBENCH IOBENCH_SOURCE PYTHON_JSONSCHEMA LC_ALL=C
}

setup()
{
    schema=$IOBENCH_SOURCE/src/report/iobench-1.schema.json
    overview=$IOBENCH_SOURCE/man/iobench.1
    manual=$IOBENCH_SOURCE/man/iobench-read.1
    recv_manual=$IOBENCH_SOURCE/man/iobench-recv.1
    epoll_manual=$IOBENCH_SOURCE/man/iobench-epoll.1
    echo_manual=$IOBENCH_SOURCE/man/iobench-echo.1
    cd "$BATS_TEST_TMPDIR"
}

# --- Helpers -------------------------------------------------------------------------------------

# same_sets WHAT_A LINES_A WHAT_B LINES_B: both hold the same lines, and some.
same_sets()
{
    [[ -n $2 ]] || { echo "nothing found: $1" && return 1; }
    [[ -n $4 ]] || { echo "nothing found: $3" && return 1; }
    subset "$1" "$2" "$3" "$4" && subset "$3" "$4" "$1" "$2"
}

# subset WHAT_A LINES_A WHAT_B LINES_B: every line of A stands in B.
subset()
{
    local missing
    missing=$(comm -23 <(sort -u <<<"$2") <(sort -u <<<"$4"))
    [[ -z $missing ]] || { printf '%s, but not %s:\n%s\n' "$1" "$3" "$missing" && return 1; }
}

# equal WHAT WANTED GOT
equal()
{
    [[ $2 == "$3" ]] || { printf '%s\nwanted: %s\ngot:    %s\n' "$1" "$2" "$3" && return 1; }
}

# section FILE FROM TO: the lines of a page from one heading to the next.
section()
{
    sed -n "/^\\.S[hs] $2\$/,/^\\.S[hs] $3\$/p" "$1"
}

# Lines like "m --mode=list" and " --quick", of --help and of the manual.
help_options()
{
    "$IOBENCH" "$1" --help |
        sed -nE 's/^ {2,6}(-([[:alpha:]]), +)?--([[:alnum:]-]+)(=[^ ]+)?( .*)?$/\2 --\3\4/p' |
        tr '[:upper:]' '[:lower:]'
}

# manual_options FILE NEXT: those between the heading OPTIONS and the next one.
manual_options()
{
    section "$1" OPTIONS "$2" | sed -nE '
        /^\.It Fl /!d
        s/^\.It Fl ([[:alpha:]]) , Fl -/\1 --/
        s/^\.It Fl -/ --/
        s/ Ns = Ns /=/
        s/Ar //g
        s/Oo (.*) Ns = Oc Ns /[\1=]/
        p'
}

strategies()
{
    "$IOBENCH" list "$1" | sed -nE '/^ *groups: /!s/^  ([^ ]+) .*/\1/p'
}

# groups [FAMILY]
groups()
{
    "$IOBENCH" list "$@" | sed -nE 's/^ *groups: //p' | tr -d ' ' | tr , '\n' | sort -u
}

# The third argument of each call in the sources that matches: a code. Codes that are no literal come
# from somewhere else, and stand here as they are written.
codes_in_sources()
{
    cat "$IOBENCH_SOURCE"/src/*/*.c "$IOBENCH_SOURCE"/src/*/*/*.c | tr '\n' ' ' |
        grep -oE "$1, *[^,]+," | sed -E 's/^.*, *"?([^",]+)"?,$/\1/'
}

has_jsonschema()
{
    "$PYTHON_JSONSCHEMA" -c 'import jsonschema' 2>/dev/null
}

# bare_bash SCRIPT ARGUMENT...: runs SCRIPT in a bash that has nothing but the completion, and
# "replies WORD...", which prints the completions of a command line whose last word stands at the
# cursor. Complaints count as replies.
bare_bash()
{
    local script=$1
    shift
    env -i HOME="$PWD" PATH="$PATH" COMPLETION="$IOBENCH_SOURCE/contrib/completion/iobench" \
        IOBENCH="$IOBENCH" bash --norc --noprofile -c '
        source "$COMPLETION"
        function=$(complete -p iobench)
        function=${function#*-F } function=${function%% *}
        replies()
        {
            COMP_WORDS=("$IOBENCH" "$@") COMP_CWORD=$# COMP_LINE="iobench $*"
            COMP_POINT=${#COMP_LINE}
            "$function" "$IOBENCH" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            ((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"
        }
        '"$script" bash "$@" 2>&1
}

completions()
{
    bare_bash 'replies "$@"' "$@"
}

# --- Manual --------------------------------------------------------------------------------------

@test "every option of read --help stands in the manual, with its letter and its value, and the other way round" {
    same_sets "in --help" "$(help_options read)" "in iobench-read(1)" \
        "$(manual_options "$manual" 'WHAT CAN BE READ')"
}

@test "every option of recv --help stands in its manual, with its letter and its value, and the other way round" {
    same_sets "in --help" "$(help_options recv)" "in iobench-recv(1)" \
        "$(manual_options "$recv_manual" 'WHERE THE BYTES COME FROM')"
}

@test "every option of epoll --help stands in its manual, with its letter and its value, and the other way round" {
    same_sets "in --help" "$(help_options epoll)" "in iobench-epoll(1)" \
        "$(manual_options "$epoll_manual" 'THE REPORT')"
}

@test "every option of echo --help stands in its manual, with its letter and its value, and the other way round" {
    same_sets "in --help" "$(help_options echo)" "in iobench-echo(1)" \
        "$(manual_options "$echo_manual" 'THE REPORT')"
}

@test "sysread and stdio have the options of read" {
    equal "sysread --help" "$(help_options read)" "$(help_options sysread)"
    equal "stdio --help" "$(help_options read)" "$(help_options stdio)"
}

@test "no page mentions an option that there is not" {
    local known command
    known=$(for command in read recv epoll echo; do help_options $command; done |
        sed -E 's/^.*--/--/; s/=.*//')
    subset "in a manual page" \
        "$(cat "$overview" "$manual" "$recv_manual" "$epoll_manual" "$echo_manual" | grep -v '^\.\\"' |
            grep -oE '(Fl -|--)[a-z][a-z-]+' | sed 's/^Fl -/--/')" \
        "in --help" "$known"
}

@test "every command of iobench help stands in iobench(1), and the other way round" {
    same_sets "in iobench help" "$("$IOBENCH" help | sed -nE 's/^  ([a-z]+) +[A-Z].*/\1/p')" \
        "in iobench(1)" "$(sed -nE 's/^\.It Cm ([a-z]+)$/\1/p' "$overview")"
}

# strategies_in FILE: those that a page introduces.
strategies_in()
{
    section "$1" STRATEGIES OPTIONS | sed -nE 's/^\.It Cm ([^ ]+)$/\1/p'
}

# groups_in FILE
groups_in()
{
    section "$1" STRATEGIES OPTIONS | grep -A1 '^The group$' | sed -nE 's/^\.Cm ([a-z]+).*/\1/p'
}

@test "every strategy of iobench list stands in the manual, and the other way round" {
    same_sets "in iobench list file" "$(strategies file)" "in iobench-read(1)" \
        "$(strategies_in "$manual")"
    same_sets "in iobench list stream" "$(strategies stream)" "in iobench-recv(1)" \
        "$(strategies_in "$recv_manual")"
    same_sets "in iobench list events" "$(strategies events)" "in iobench-epoll(1)" \
        "$(strategies_in "$epoll_manual")"
    same_sets "in iobench list service" "$(strategies service)" "in iobench-echo(1)" \
        "$(strategies_in "$echo_manual")"
}

@test "every group of iobench list is introduced in a manual" {
    same_sets "in iobench list" "$(groups)" "under STRATEGIES" \
        "$(for page in "$manual" "$recv_manual" "$epoll_manual" "$echo_manual"; do groups_in "$page"; done)"
}

@test "every warning that the sources add stands in the manual, and the other way round" {
    same_sets "added by the sources" "$(codes_in_sources 'notes_add\( *&[^,]*warnings')" \
        "under Warnings" "$(for page in "$manual" "$recv_manual" "$epoll_manual" "$echo_manual"; do
            section "$page" Warnings Errors
        done | sed -n 's/^\.It Li //p')"
}

@test "every error code that the sources add stands in the manual, and the other way round" {
    # c->code is what run_case_end was given; err_name gives an errno, or "error"
    same_sets "added by the sources" \
        "$({
            codes_in_sources 'notes_add\( *&[^,]*errors'
            codes_in_sources 'run_case_end\([^,()]+, *CASE_[A-Z]+'
            sed -nE 's/^ *return "([a-z]+)";.*/\1/p' "$IOBENCH_SOURCE/src/base/err.c" | grep error
        } | grep -vxE 'c->code|err_name\([^()]*\)')" \
        "under Errors" "$(for page in "$manual" "$recv_manual" "$epoll_manual" "$echo_manual"; do
            section "$page" Errors FILES
        done | sed -n 's/^\.It Li //p')"
}

@test "every environment variable that the sources read stands in the manual, and the other way round" {
    same_sets "read by the sources" \
        "$(grep -rhoE 'getenv\("[A-Z_]+"\)' "$IOBENCH_SOURCE/src" | grep -oE '[A-Z_]{2,}')" \
        "in iobench(1)" "$(sed -n 's/^\.It Ev //p' "$overview")"
}

@test "the header of --export=x.csv is the one in the manual" {
    echo text >file
    "$IOBENCH" read --quick --rounds=2 --trial-time=1ms --export=x.csv file >/dev/null
    equal "columns" "$(section "$manual" EXPORTS 'WARNINGS AND ERRORS' |
        sed -n '/^\.Bd/,/^\.Ed/p' | grep -v '^\.' | tr -d '\n')" "$(head -n 1 x.csv)"
}

@test "no two columns of --export=x.csv have the same name" {
    echo text >file
    "$IOBENCH" read --quick --rounds=2 --trial-time=1ms --export=x.csv file >/dev/null
    equal "names that stand twice" "" "$(head -n 1 x.csv | tr , '\n' | sort | uniq -d)"
}

@test "the gauges that the manual names are exported" {
    echo text >file
    "$IOBENCH" read --quick --rounds=2 --trial-time=1ms --export=x.prom file >/dev/null
    subset "in the manual" "$(sed -n 's/^\.Li \(iobench_[a-z_]*\)$/\1/p' "$manual")" \
        "in x.prom" "$(sed -n 's/^# TYPE \([a-z_]*\) gauge$/\1/p' x.prom)"
}

@test "every key of the schemas stands in iobench-json(5), with its unit or type, and the other way round" {
    local page=$IOBENCH_SOURCE/man/iobench-json.5
    same_sets "in the schemas" "$(jq -r '[., (.["$defs"] | with_entries(select(.key | test("^(of_.*|no_stat)$") | not))[])]
        | .[] | .properties // {} | keys[]' "$IOBENCH_SOURCE"/src/report/iobench*.schema.json)" \
        "in iobench-json(5)" "$(sed -n 's/^\.It Va //p' "$page")"
    equal "keys without a unit or a type" "" "$(grep -A1 '^\.It Va ' "$page" | grep -v '^--$' |
        paste - - | grep -v '\.Pq [a-z]')"
    equal "keys without a description" "" "$(grep -A2 '^\.It Va ' "$page" | grep -v '^--$' |
        paste - - - | grep -P '\t\.(It|El)')"
}

@test "iobench-json(5) is what build-aux/json-page makes of the schemas" {
    command -v python3 >/dev/null || skip "no python"
    python3 "$IOBENCH_SOURCE/build-aux/json-page" "$IOBENCH_SOURCE/src/report" >made
    diff -u "$IOBENCH_SOURCE/man/iobench-json.5" made
}

@test "iobench-json(5) is referred to by every other page" {
    local page
    for page in "$IOBENCH_SOURCE"/man/iobench*.1; do
        grep -q '^\.so ' "$page" || grep -q '^\.Xr iobench-json 5' "$page" || { echo "not by $page" && false; }
    done
}

# Options of iobench-plot --help, as help_options has them. It needs no matplotlib.
plot_options()
{
    "$PYTHON_JSONSCHEMA" "$IOBENCH_SOURCE/contrib/plots/iobench-plot" --help |
        sed -nE 's/^ {2,6}(-([[:alpha:]]), +)?--([[:alnum:]-]+)(=[^ ]+)?( .*)?$/\2 --\3\4/p' |
        tr '[:upper:]' '[:lower:]'
}

# The kinds of picture in its --help.
plot_kinds()
{
    "$PYTHON_JSONSCHEMA" "$IOBENCH_SOURCE/contrib/plots/iobench-plot" --help |
        sed -n '/^kinds:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

@test "every option and kind of iobench-plot --help stands in its manual and completion, and the other way round" {
    local page=$IOBENCH_SOURCE/man/iobench-plot.1
    plot_options | grep -q . || skip "no python"
    same_sets "in --help" "$(plot_options)" "in iobench-plot(1)" "$(manual_options "$page" DOCUMENTS)"
    same_sets "in --help" "$(plot_kinds)" "in iobench-plot(1)" \
        "$(section "$page" Kinds OPTIONS | sed -n 's/^\.It Cm //p')"
    source "$IOBENCH_SOURCE/contrib/completion/iobench-plot"
    same_sets "in --help" "$(plot_options | sed -E 's/^.*--/--/; s/=.*/=/')" "in the completion" \
        "$(printf '%s\n' "${_iobench_plot_options[@]%% *}")"
    same_sets "in --help" "$(plot_kinds)" "in the completion" "$(printf '%s\n' "${_iobench_plot_kinds[@]}")"
}

@test "iobench-plot completes its kinds, options and files" {
    source "$IOBENCH_SOURCE/contrib/completion/iobench-plot"
    plot_replies()
    {
        COMP_WORDS=(iobench-plot "$@") COMP_CWORD=$#
        _iobench_plot
        printf '%s\n' "${COMPREPLY[@]}"
    }
    : >'a run.json'
    equal "for" "forest" "$(plot_replies for)"
    equal "a" "a run.json all auto" "$(plot_replies a | sort | xargs)"
    equal "--ti" "--title=" "$(plot_replies bars --ti)"
    equal "--x=han" "handles" "$(plot_replies sweep --x = han)"
    equal "-o a" "a run.json" "$(plot_replies bars -o a)"
    equal "--title=a" "" "$(plot_replies bars --title = a)"
}

@test "mandoc finds nothing to complain about" {
    command -v mandoc >/dev/null || skip "mandoc is not installed"
    cd "$IOBENCH_SOURCE/man"
    # which other manuals are installed is no concern of ours
    equal "mandoc -Tlint" "" "$(mandoc -Tlint iobench.1 iobench-compare.1 iobench-read.1 iobench-recv.1 \
        iobench-epoll.1 iobench-echo.1 iobench-plot.1 iobench-json.5 2>/dev/null | grep -v 'referenced manual not found')"
}

@test "iobench-sysread(1) and iobench-stdio(1) are iobench-read(1)" {
    local page
    for page in sysread stdio; do
        equal "$page" ".so man1/iobench-read.1" "$(cat "$IOBENCH_SOURCE/man/iobench-$page.1")"
    done
}

@test "no line of a page is wider than 80 columns" {
    command -v mandoc >/dev/null || skip "mandoc is not installed"
    equal "wide lines" "" "$(for page in "$overview" "$manual" "$recv_manual" "$epoll_manual" "$echo_manual" \
        "$IOBENCH_SOURCE/man/iobench-compare.1" "$IOBENCH_SOURCE/man/iobench-json.5" \
        "$IOBENCH_SOURCE/man/iobench-plot.1"; do
        mandoc -Tascii -O width=78 "$page" 2>/dev/null
    done | sed 's/.\x08//g' | awk 'length > 80')"
}

# --- Schema --------------------------------------------------------------------------------------

@test "the schema is a valid JSON Schema 2020-12" {
    has_jsonschema || skip "no python with jsonschema"
    "$PYTHON_JSONSCHEMA" - "$schema" <<'PY'
import json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema", schema["$schema"]
Draft202012Validator.check_schema(schema)
PY
}

@test "the schema allows no key that it does not name, and misses each that it names" {
    has_jsonschema || skip "no python with jsonschema"
    "$PYTHON_JSONSCHEMA" - "$schema" <<'PY'
import json, sys
schema = json.load(open(sys.argv[1]))
objects = {"document": schema}
# these only add to what the others say
names = ("of_files", "of_streams", "of_events", "of_services")
families = [schema["$defs"][name]["properties"] for name in names]
objects |= {name: d for name, d in schema["$defs"].items()
            if "properties" in d and name not in (*names, "no_stat")}
assert len(objects) > 15, objects.keys()

def required_by(family, name):
    results = family["results"]["items"]
    trial = results["properties"].get("trials", {}).get("items", {})
    where = {"options": family["options"], "result": results, "trial": trial,
             "peer": trial.get("properties", {}).get("peer", {}),
             "interval": results["properties"].get("intervals", {}).get("items", {})}
    return where.get(name, {}).get("required", [])

wrong = []
for name, o in objects.items():
    if o.get("additionalProperties") is not False:
        wrong.append(f"{name}: allows other keys")
    required = set(sum((required_by(family, name) for family in families), o.get("required", [])))
    if name != "params" and required != set(o["properties"]):
        wrong.append(f"{name}: {sorted(required ^ set(o['properties']))} not required")
sys.exit("\n".join(wrong) or 0)
PY
}

@test "every key that the JSON report writes stands in the schema, and the other way round" {
    local written named
    written=$({
        grep -hoE '(put\(d, [a-z]+, "[a-z0-9_]+"|"[a-z0-9_]+_ns")' \
            "$IOBENCH_SOURCE"/src/report/json*.c
        # one key in two families
        grep -hoE '\? "[a-z]+" : "[a-z]+",' "$IOBENCH_SOURCE"/src/report/json_trial.c |
            grep -oE '"[a-z]+"'
        # quantiles get their unit when they are written
        grep -hoE '\{"(p[0-9]+|max)", [0-9.]+\}' "$IOBENCH_SOURCE"/src/report/json*.c |
            sed -E 's/\{("[a-z0-9]+)".*/\1_ns"\n\1_bytes"\n\1_events"/'
        grep -hoE '\.key = "[a-z0-9_]+"' "$IOBENCH_SOURCE/src/base/knobs.c"
        grep -hoE '\[COUNTER_[A-Z_]+\] = \{"[a-z0-9_]+"' "$IOBENCH_SOURCE/src/base/tally.c"
        grep -hoE '\[METRIC_[A-Z_]+\] = \{"[a-z0-9_]+"' "$IOBENCH_SOURCE/src/report/metric.c"
    } | sed -E 's/.*"([a-z0-9_]+)"/\1/')
    named=$(jq -r '[., (.["$defs"] | del(.of_files, .of_streams, .of_events, .of_services)[])] | .[] | .properties // {}
        | keys[]' "$schema")
    same_sets "written" "$written" "in the schema" "$named"
}

# words FILE...: what stands under JSON.
words()
{
    local page
    for page; do section "$page" JSON EXPORTS; done | tr ' ' '\n'
}

# keys_of DEFINITION...: those that these entries of the schema have.
keys_of()
{
    jq -r --args '.["$defs"][$ARGS.positional[]] | .properties | keys[]' "$schema" "$@"
}

# keys_only_of DEFINITION...: what only results of these families must hold.
keys_only_of()
{
    jq -r --args '.["$defs"][$ARGS.positional[]].properties.results.items
        | ., .properties.intervals.items, .properties.trials.items,
            .properties.trials.items.properties.peer | .required // [] | .[]' "$schema" "$@" | sort -u
}

@test "every key of a result, a trial, a profile, a summary and a comparison stands in the manual" {
    # every page names those of its own family
    subset "in the schema" "$({
        jq -r '.properties | keys[]' "$schema"
        keys_of result trial profile symbol latency interval stat comparison model
    } | grep -vxF "$(keys_only_of of_streams of_events of_services)")" "in iobench-read(1) under JSON" \
        "$(words "$manual")"
    subset "in the schema" "$(keys_of result trial peer socket fairness call_bytes wait_events \
        interval summary)" "under JSON" "$(words "$manual" "$recv_manual" "$epoll_manual" "$echo_manual")"
    subset "in the schema" "$(keys_only_of of_streams && keys_of socket fairness call_bytes)" \
        "in iobench-recv(1) under JSON" "$(words "$recv_manual")"
    subset "in the schema" "$(keys_only_of of_events && keys_of fairness wait_events)" \
        "in iobench-epoll(1) under JSON" "$(words "$epoll_manual")"
    subset "in the schema" "$(keys_only_of of_services && keys_of rate_search rate_step)" \
        "in iobench-echo(1) under JSON" "$(words "$echo_manual")"
    subset "in the schema" "$(keys_of peer | grep -vxF "$(keys_only_of of_streams of_events of_services)")" \
        "in both" "$(comm -12 <(words "$recv_manual" | sort -u) <(words "$epoll_manual" | sort -u))"
}

# make_documents: a document of every kind into *.json here.
make_documents()
{
    local any=("$IOBENCH" read --json --quiet --quick --rounds=2 --trial-time=1ms) cpu status=0
    local two=("${any[@]}" --mode=sysread,mmap)
    yes 'a line of text' | head -n 1000 >file
    : >empty
    mkfifo fifo
    cp file $'not-utf8-\xff\xe9'
    cpu=$(sed -nE 's/^Cpus_allowed_list:[^0-9]*([0-9]+).*/\1/p' /proc/self/status)

    "${any[@]}" file >usual.json
    "${any[@]}" --mode=sysread >made.json
    "${any[@]}" --mode=all file >all.json
    "${any[@]}" --mode=sysread file >single.json
    "$IOBENCH" read --json --quiet --rounds=2 --trial-time=1ms --mode=sysread file >profile.json
    "${any[@]}" --mode=sysread,fread --block-size=1k,64k --threads=1,2 \
        --consume=none,lines file >sweep.json
    "${any[@]}" --mode=fread,getline --stdio-buffer=512,8k file >buffers.json
    "${any[@]}" --mode=sysread,sysread --baseline='sysread#2' --max-slowdown=50 --rounds=8 \
        file >intervals.json
    "${two[@]}" --label=a=b --label=c.d-e= --seed=9007199254740991 --cpu="${cpu:-0}" \
        --prepare=true --offset=10 --bytes=1001 file file >options.json
    "${two[@]}" empty >empty.json
    "${two[@]}" --offset=1G --bytes=1 file >beyond.json
    "${any[@]}" /proc/self/stat >proc.json
    "${two[@]}" --bytes=64k /dev/zero >zero.json
    "${two[@]}" --warmup=0 --duration=2ms --rounds=1 file >unverified.json
    "${two[@]}" - <file >stdin.json
    "${any[@]}" --mode=fread - < <(cat file) >pipe.json
    "${two[@]}" $'not-utf8-\xff\xe9' >utf8.json
    "${two[@]}" --exec='cat {}' --exec=named='cat' --exec-verify=named file >exec.json
    "${any[@]}" --mode=fgets,mmap --latency file >latency.json
    "${any[@]}" --mode=sysread,getc --sizes=1k,10k,100k >sizes.json
    "${two[@]}" --mode=pread --pattern=sequential,random,stride:4096 --advice=normal,noreuse \
        --cache=warm,as-is file >orders.json

    printf '#!/bin/bash\nexec cat <"/dev/tcp/$1/$2" >/dev/null\n' >take
    chmod +x take
    local drain=("$IOBENCH" recv --json --quiet --quick --rounds=2 --trial-time=1ms --ramp=500us)
    "${drain[@]}" --mode=recv,epoll,splice >recv.json
    "${drain[@]}" --mode=recv,epoll,io_uring-multishot --rounds=8 --verbose >recv-intervals.json
    "${drain[@]}" --mode=all --transport=udp,pipe,unix >recv-all.json
    "${drain[@]}" --mode=recv,recvmmsg --transport=unix-dgram --send-size=1k >recv-datagrams.json
    "${drain[@]}" --mode=epoll,poll --connections=4 --threads=1,2 --nodelay=on --rcvbuf=64k \
        --sndbuf=64k --place=same --consume=lines --cpu="${cpu:-0}" --peer-cpu="${cpu:-0}" \
        >recv-options.json
    "${drain[@]}" --mode=recv --latency --exec='take=./take {host} {port}' >recv-exec.json
    "$IOBENCH" recv --json --quiet --mode=recv --duration=30ms --interval=10ms --quick >recv-watched.json
    ! "${drain[@]}" --mode=recv --transport=pipe >recv-skipped.json || return 1
    ! "$IOBENCH" recv --json --quiet --mode=recv --connect=unix:missing >recv-failed.json || return 1
    "$IOBENCH" recv --json --quiet --send --listen=unix:here >recv-send.json 3>&- &
    while [[ ! -S here ]]; do sleep 0.01; done
    "$IOBENCH" recv --json --quiet --mode=epoll --connect=unix:here --bytes=1M >recv-connect.json
    wait $!

    local wait=("$IOBENCH" epoll --json --quiet --quick --rounds=2 --trial-time=1ms --ramp=500us)
    "${wait[@]}" --handles=20 >epoll.json
    "${wait[@]}" --handles=20 --mode=epoll,none-oracle --rounds=8 --latency >epoll-intervals.json
    "${wait[@]}" --handles=10,40 --active=10,100 --mode=epoll,poll --order=cyclic --outstanding=2,0 \
        --kind=eventfd --place=same --cpu="${cpu:-0}" --peer-cpu="${cpu:-0}" >epoll-options.json
    "${wait[@]}" --handles=20 --mode=epoll --kind=unix,inet --max-events=4 >epoll-kinds.json
    "${wait[@]}" --handles=20 --mode=epoll --rate=100000 >epoll-rate.json
    "${wait[@]}" --handles=20 --ctl >epoll-control.json
    "${wait[@]}" --handles=20 --mode=epoll --dry-run >epoll-dry.json
    ! "${wait[@]}" --handles=20 --mode=epoll-exclusive >epoll-skipped.json || return 1
    "$IOBENCH" epoll --json --quiet --handles=20 --mode=epoll --duration=30ms --interval=10ms \
        --quick >epoll-watched.json

    local serve=("$IOBENCH" echo --json --quiet --quick --rounds=2 --ramp=500us --connections=4)
    "${serve[@]}" >echo.json
    "${serve[@]}" --mode=epoll,thread --rounds=8 >echo-intervals.json
    "${serve[@]}" --mode=epoll --io=read-write,recv-send --message-size=1,100k --split=2 \
        --pipeline=3 --nodelay=none --threads=2 --accept=reuseport --client-threads=2 \
        --transport=tcp6 --place=same --cpu="${cpu:-0}" --peer-cpu="${cpu:-0}" >echo-options.json
    "${serve[@]}" --mode=epoll --protocol=http --requests=5 --connect-rate=1000 --think=1ms \
        --transport=unix >echo-http.json
    "${serve[@]}" --mode=epoll --rate=2000 >echo-rate.json
    "${serve[@]}" --mode=epoll --dry-run >echo-dry.json
    ! "${serve[@]}" --mode=thread --threads=2 >echo-skipped.json || return 1
    ! "$IOBENCH" echo --json --quiet --connect=unix:missing >echo-failed.json || return 1
    "$IOBENCH" echo --json --quiet --mode=epoll --duration=30ms --interval=10ms >echo-watched.json
    "$IOBENCH" echo --json --quiet --mode=epoll --listen=unix:served >echo-served.json 3>&- &
    while [[ ! -S served ]]; do sleep 0.01; done
    "$IOBENCH" echo --json --quiet --connect=unix:served --requests=100 >echo-load.json
    kill -TERM $!
    wait $!

    # what fails, and still leaves a document
    ! "${any[@]}" missing >missing.json || return 1
    ! "${two[@]}" missing file . >partly.json || return 1
    ! "${two[@]}" --consume=none file >skipped.json || return 1
    ! "${two[@]}" --prepare=false file >failed.json || return 1
    ! "${any[@]}" --mode=sysread --timeout=100ms fifo >fifo.json || return 1
    ! "${two[@]}" --exec=bad=false file >bad.json || return 1

    # the first trial says that signals are waited for by now
    "$IOBENCH" read --json --quiet --prepare='>started' file >interrupted.json 3>&- &
    while [[ ! -e started ]]; do sleep 0.01; done
    kill -TERM $!
    wait $! || status=$?
    equal "status of a terminated run" 143 "$status"
}

@test "documents of every kind fit the schema" {
    has_jsonschema || skip "no python with jsonschema"
    make_documents
    "$PYTHON_JSONSCHEMA" - "$schema" ./*.json <<'PY'
import json, sys
from jsonschema import Draft202012Validator

def refuse(word):
    raise ValueError(f"{word} is no JSON")

validator = Draft202012Validator(json.load(open(sys.argv[1])))
wrong, seen, kinds = [], set(), set()
for path in sys.argv[2:]:
    try:
        document = json.load(open(path, encoding="utf-8"), parse_constant=refuse)
    except ValueError as error:
        wrong.append(f"{path}: {error}")
        continue
    for error in list(validator.iter_errors(document))[:5]:
        wrong.append(f"{path}: {error.json_path}: {error.message[:300]}")
    seen |= {result["status"] for result in document["results"]}
    kinds |= {result["kind"] for result in document["results"]}
    if document["interrupted"]:
        seen.add("interrupted")
    commands = {next((c for c in ("recv", "epoll", "echo") if path.startswith("./" + c)), "read")}
    if document["command"] not in commands:
        wrong.append(f"{path}: a document of {document['command']}")
# they are what they should be
missing = {"ok", "skipped", "failed", "interrupted"} - seen | {"strategy", "exec"} - kinds
if missing:
    wrong.append(f"none of the documents holds: {sorted(missing)}")
sys.exit("\n".join(wrong) or 0)
PY
}

@test "the schema refuses what a report must not hold" {
    has_jsonschema || skip "no python with jsonschema"
    head -c 10000 /dev/zero >file
    "$IOBENCH" read --json --quick --rounds=2 --trial-time=1ms file >usual.json
    "$IOBENCH" recv --json --quick --rounds=2 --trial-time=1ms --mode=recv,epoll >recv.json
    "$IOBENCH" epoll --json --quick --rounds=2 --trial-time=1ms --handles=20 --mode=epoll,poll \
        >epoll.json
    "$PYTHON_JSONSCHEMA" - "$schema" usual.json recv.json epoll.json <<'PY'
import copy, json, sys
from jsonschema import Draft202012Validator
validator = Draft202012Validator(json.load(open(sys.argv[1])))
good, stream, events = (json.load(open(path)) for path in sys.argv[2:])
assert all(validator.is_valid(d) for d in (good, stream, events)), "the document itself is refused"

def trial(d):
    return d["results"][0]["trials"][0]

spoilt = {
    "a key too many": lambda d: d.update(extra=1),
    "a key too many in a trial": lambda d: trial(d).update(extra=1),
    "a key too few": lambda d: d["host"].pop("kernel"),
    "a key too few in a trial": lambda d: trial(d).pop("calls"),
    "a negative count": lambda d: trial(d).update(bytes=-1),
    "a count with a fraction": lambda d: trial(d).update(wall_ns=1.5),
    "a number as text": lambda d: trial(d).update(wall_ns="1"),
    "an unknown status": lambda d: d["results"][0].update(status="fine"),
    "a failure without a reason": lambda d: d["results"][0].update(status="failed"),
    "an unknown verdict": lambda d: d["comparisons"][0].update(verdict="better"),
    "a verdict without an interval": lambda d: d["comparisons"][0].update(
        ci_low=None, ci_high=None, verdict="faster"),
    "an unknown way to consume": lambda d: d["options"].update(consume=["look"]),
    "an id of another shape": lambda d: d["results"][0].update(id="sysread"),
    "a digest of another shape": lambda d: d["results"][0].update(digest="1234"),
    "a share above 1": lambda d: d["source"]["files"][0].update(resident_ratio=1.1),
    "another version": lambda d: d.update(schema_version=2),
    "a sender of files": lambda d: trial(d).update(peer=trial(stream)["peer"]),
    "a counter of streams among files": lambda d: trial(d).update(waits=0),
    "an option of streams among files": lambda d: d["options"].update(connect=None),
    "a parameter of streams among files": lambda d: d["results"][0]["params"].update(place="any"),
    "the source of a stream": lambda d: d.update(source=stream["source"]),
    "the command of a stream": lambda d: d.update(command="recv"),
    "the command of events": lambda d: d.update(command="epoll"),
    "an option of events among files": lambda d: d["options"].update(handles=[1]),
    "a figure of events among files": lambda d: d["results"][0]["summary"].update(
        events_per_s=d["results"][0]["summary"]["bytes_per_s"]),
}
spoilt_streams = {
    "a key too few in a trial of streams": lambda d: trial(d).pop("waits"),
    "a key too many in a peer": lambda d: trial(d)["peer"].update(extra=1),
    "a key too few in a peer": lambda d: trial(d)["peer"].pop("cpu_ns"),
    "a key too few of a socket": lambda d: trial(d)["socket"].pop("rtt_ns"),
    "a fairness above 1": lambda d: trial(d)["connections"].update(fairness_ratio=1.1),
    "an option of files among streams": lambda d: d["options"].update(cache=["warm"]),
    "a parameter of files among streams": lambda d: d["results"][0]["params"].update(offset=0),
    "a transport without its sender": lambda d: d["results"][0]["params"].pop("sndbuf"),
    "an unknown transport": lambda d: d["results"][0]["params"].update(transport="sctp"),
    "two sources": lambda d: d.update(source={"connect": "a:1", "listen": "b:1"}),
    "the source of files": lambda d: d.update(source=good["source"]),
    "the id of a file": lambda d: d["results"][0].update(id="read/recv"),
    "the command of files": lambda d: d.update(command="read"),
    "a counter of events among streams": lambda d: trial(d).update(events=0),
    "a counter of events of a sender": lambda d: trial(d)["peer"].update(messages=0),
    "a parameter of events among streams": lambda d: d["results"][0]["params"].update(kind="pipe"),
}
spoilt_events = {
    "a key too few in a trial of events": lambda d: trial(d).pop("events"),
    "a key too few in a writer": lambda d: trial(d)["peer"].pop("messages"),
    "a counter of streams among events": lambda d: trial(d).update(datagrams=0),
    "connections of events": lambda d: trial(d).update(connections=None),
    "calls instead of waits": lambda d: d["results"][0].update(call_bytes=None),
    "no word about waits": lambda d: d["results"][0].pop("wait_events"),
    "a block size of events": lambda d: d["options"].update(block_size=[1]),
    "a kind of handle that there is not": lambda d: d["results"][0]["params"].update(kind="tty"),
    "more than all handles": lambda d: d["results"][0]["params"].update(active=101),
    "a way of waiting without a writer": lambda d: d["results"][0]["params"].pop("writers"),
    "a command among events": lambda d: d["results"][0].update(kind="exec"),
    "the source of files": lambda d: d.update(source=good["source"]),
    "the id of a stream": lambda d: d["results"][0].update(id="recv/epoll"),
    "the command of streams": lambda d: d.update(command="recv"),
}
accepted = []
for document, ways in ((good, spoilt), (stream, spoilt_streams), (events, spoilt_events)):
    for what, spoil in ways.items():
        bad = copy.deepcopy(document)
        spoil(bad)
        if validator.is_valid(bad):
            accepted.append(f"accepted: {what}")
sys.exit("\n".join(accepted) or 0)
PY
}

# --- Completion ----------------------------------------------------------------------------------

@test "every option of --help has its line in the completion, and the other way round" {
    local command lines
    for command in read recv epoll echo; do
        lines=$(bare_bash 'case $1 in
            read) own=("${_iobench_file_options[@]}") ;;
            recv) own=("${_iobench_stream_options[@]}") ;;
            epoll) own=("${_iobench_event_options[@]}") ;;
            echo) own=("${_iobench_service_options[@]}") ;;
            esac
            printf "%s\n" "${_iobench_options[@]}" "${own[@]}"' $command)
        same_sets "in $command --help" "$(help_options $command | sed -E 's/=.*/=/')" \
            "in the completion" "$(sed -E 's/^- / /; s/^([^ ]*) (--[^ ]+).*/\1 \2/' <<<"$lines")"
    done
}

@test "every option of --help completes from all but its last letter" {
    local command options
    for command in stdio recv epoll echo; do
        options=$(help_options $command | sed -E 's/^.*--/--/; s/=.*/=/')
        same_sets "in $command --help" "$options" "completed" "$(bare_bash 'command=$1
            for option in "${@:2}"; do
                replies "$command" "${option%?}" | grep -xF -- "$option"
            done' $command $options)"
    done
}

@test "after a command a dash offers the options of --help and nothing else" {
    local command
    for command in read recv epoll echo; do
        same_sets "in $command --help" "$(help_options $command | sed -E 's/^.*--/--/; s/=.*/=/')" \
            "offered" "$(completions $command -)"
    done
}

@test "the commands of iobench help are offered first, and after help" {
    local commands
    commands=$("$IOBENCH" help | sed -nE 's/^  ([a-z]+) +[A-Z].*/\1/p')
    same_sets "in iobench help" "$commands" "offered first" "$(completions '')"
    same_sets "in iobench help" "$commands" "offered after help" "$(completions help '')"
    equal "those that begin with s" "sysread stdio" "$(completions s | xargs)"
    equal "--v" "--version" "$(completions --v)"
}

@test "--mode is completed to the strategies and groups of iobench list" {
    local known
    known=$(strategies file && groups file)
    same_sets "in iobench list" "$known" "offered after --mode=" "$(completions read --mode =)"
    same_sets "in iobench list" "$known" "offered after --mode" "$(completions read --mode '')"
    same_sets "in iobench list" "$known" "offered after -m" "$(completions sysread -m '')"
    equal "--mode=fg" "fgets" "$(completions read --mode = fg)"
    same_sets "in iobench list" "$(strategies stream && groups stream)" "offered after recv --mode=" \
        "$(completions recv --mode =)"
    same_sets "in iobench list" "$(strategies events && groups events)" "offered after epoll --mode=" \
        "$(completions epoll --mode =)"
    equal "recv --mode=recvm" "recvmmsg recvmsg" "$(completions recv --mode = recvm | sort | xargs)"
}

@test "the second mode of a list is completed behind the first" {
    equal "--mode=mmap,fg" "mmap,fgets" "$(completions read --mode = mmap,fg)"
    equal "-m all,getl" "all,getline" "$(completions read -m all,getl)"
    equal "--mode=a,b,sysr" "a,b,sysread" "$(completions read --mode = a,b,sysr)"
}

@test "a value is completed in a bash that does not break words at =" {
    equal "--mode=mmap,fg" "--mode=mmap,fgets" "$(completions read --mode=mmap,fg)"
    equal "--color=al" "--color=always" "$(completions read --color=al)"
    : >alpha.csv
    equal "--export=al" "--export=alpha.csv" "$(completions read --export=al)"
}

@test "--consume, --color and --progress are completed to what they take" {
    local value option
    equal "--consume=" "none touch sum lines" "$(completions read --consume = | xargs)"
    equal "--consume=none,l" "none,lines" "$(completions read --consume = none,l)"
    equal "--place=" "any same apart" "$(completions recv --place = | xargs)"
    for option in transport congestion nodelay place; do
        for value in $(completions recv --$option =); do
            "$IOBENCH" recv --dry-run --mode=epoll --$option="$value" >/dev/null
        done
    done
    equal "--kind=" "pipe unix inet eventfd" "$(completions epoll --kind = | xargs)"
    for option in kind order place share; do
        for value in $(completions epoll --$option =); do
            "$IOBENCH" epoll --dry-run --mode=epoll --$option="$value" >/dev/null
        done
    done
    for option in --color --progress; do
        equal "$option=" "auto always never" "$(completions read $option = | xargs)"
    done
    # and those are values that the program takes
    echo text >file
    for value in $(completions read --consume =); do
        "$IOBENCH" read --dry-run --consume="$value" file >/dev/null
    done
    for value in $(completions read --color =); do
        "$IOBENCH" read --dry-run --color="$value" --progress="$value" file >/dev/null
    done
}

@test "FILE and --export are completed to file names, with their blanks" {
    mkdir directory
    : >'a file' >afile.json >other
    same_sets "here" "$(printf '%s\n' 'a file' afile.json directory other)" "offered for FILE" \
        "$(completions read '')"
    same_sets "here" "$(printf '%s\n' 'a file' afile.json)" "offered for FILE a" \
        "$(completions stdio --quick a)"
    same_sets "here" "$(printf '%s\n' 'a file' afile.json)" "offered for --export=a" \
        "$(completions read --export = a)"
    equal "-e o" "other" "$(completions read -e o)"
    : >--odd
    equal "after --" "--odd" "$(completions read -- --o)"
}

@test "where nothing can be said the completion is silent" {
    equal "--rounds=" "" "$(completions read --rounds =)"
    equal "--block-size 4" "" "$(completions read --block-size 4)"
    equal "--no-such=" "" "$(completions read --no-such=)"
    equal "after a family" "" "$(completions list file '')"
    equal "recv reads no FILE" "" "$(completions recv '')"
    equal "recv reads no FILE" "" "$(completions recv --quick -- '')"
    equal "epoll reads no FILE" "" "$(completions epoll '')"
    equal "unknown command" "" "$(completions nosuch -)"
    equal "modes without a program" "" "$(IOBENCH=./missing completions read --mode =)"
}
