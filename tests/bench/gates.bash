#!/usr/bin/env bash
# make calibrate-gate: gates and comparisons of which the right answer is known, each figure beside
# its target.
#
#     gates.bash IOBENCH SLOW_READ DIRECTORY [ONLY]
#
# ONLY is words out of: equal slower allowed compare large. GATES=20 makes 20 gates of equal cases
# instead of 200, and as many fewer of the rest; QUICK=1 does the same. What was measured is kept in
# calibrate-gate/ and not measured again, until all of it is done or iobench was built anew.
#
#     equal    sysread against itself, 2 % allowed: false alarms
#     slower   sysread with its read(2) slowed, so that it takes 5 % longer than pread, 2 % allowed
#     allowed  the same with 3 %, 5 % allowed
#     compare  recorded runs of the same code; run i is compared with run i + 6, at least two minutes
#              later, at the defaults
#     large    two documents of 10,000 trials
#
# How much longer the slowed case takes is no assumption: the shim's share is settled by long
# paired reference runs. The parts take turns, so that all of them meet the same times.
set -euo pipefail
export LC_ALL=C
unset NO_COLOR

[ $# -ge 3 ] || { echo 'usage: gates.bash IOBENCH SLOW_READ DIRECTORY [ONLY]' >&2 && exit 2; }
iobench=$1 shim=$(realpath "$2") file=$3/iobench-gates-file only=${4:-}
[ -n "$only" ] || only='equal slower allowed compare large'
GATES=${GATES:-$([ -n "${QUICK:-}" ] && echo 20 || echo 200)}
SPACING=${SPACING:-20} # seconds between recorded runs, at least
APART=6                # a run is compared with the sixth after it
kept=calibrate-gate results=$kept/results

# How many, in all.
declare -A target=([equal]=$GATES [slower]=$((GATES / 2)) [allowed]=$((GATES / 4))
    [compare]=$((GATES / 4 + APART)) [large]=1)

wants() {
    [[ " $only " == *" $1 "* ]]
}
measured() { # PART: how many
    awk -v part="$1" '$1 == part { n++ } END { print n + 0 }' "$results"
}

# keep PART WORD...: one line of the results, also shown.
keep() {
    echo "$*" >>"$results"
    printf '%s: %-7s %3d of %3d: %s\n' "$(date +%H:%M:%S)" "$1" "$(measured "$1")" "${target[$1]}" "${*:2}"
}

# gate ARGUMENT...: runs iobench; sets status, took (seconds, everything) and what of the ratio.
gate() {
    local from=$EPOCHREALTIME
    status=0
    "$iobench" read --quick --quiet --json "$@" "$file" >$kept/last.json 2>/dev/null || status=$?
    took=$(awk -v from="$from" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.2f", to - from }')
    [ "$status" -le 1 ] || { echo "gates: iobench ended with $status" >&2 && exit 3; }
    what=$(jq -r '.comparisons[-1] | [.ratio, .ci_low, .ci_high, .rounds] | map(tostring) | join(" ")' $kept/last.json)
}

# slowed SHARE ARGUMENT...: a gate between pread and sysread, whose read(2) is slowed.
slowed() {
    LD_PRELOAD=$shim SLOW_READ=$1 gate --mode=pread,sysread --baseline=pread "${@:2}"
}

# The slowdown is proportional to the share: from all references of a percentage, "SHARE RATIO LOW
# HIGH" each, weighted by their intervals, follow the share that makes it, and how far the slowdown
# may be off (95 %).
fit() {
    awk -v wanted="$1" '{ width = (log($4) - log($3)) / 2; weight = 1 / (width * width)
            above += weight * $1 * log($2); below += weight * $1 * $1 }
        END { slope = above / below
            if (slope < 0.2) slope = 0.2 # of a read that takes a fifth of the pass at least
            share = log(1 + wanted / 100) / slope
            printf "%.5f %.3f\n", share, share / sqrt(below) * 100 }' "$kept/references-$1"
}

# share_of PERCENT: settles by paired reference runs which share of the shim makes the command take
# that much longer. On a restless machine it stays vague, which the summary says.
share_of() {
    local wanted=$1 share try
    [ ! -s "$kept/share-$wanted" ] || return 0
    share=$(awk -v p="$wanted" 'BEGIN { print p / 100 * 1.2 }')
    : >"$kept/references-$wanted"
    for ((try = 0; try < ${REFERENCES:-8}; try++)); do
        slowed "$share" --rounds="${REFERENCE_ROUNDS:-500}" --max-slowdown=2
        echo "$share $what" >>"$kept/references-$wanted"
        printf '%s: reference for %s %%: a share of %s gives %s\n' "$(date +%H:%M:%S)" "$wanted" "$share" \
            "$(awk '{ printf "%.4f (%.4f .. %.4f)", $1, $2, $3 }' <<<"$what")"
        share=$(fit "$wanted" | cut -d ' ' -f 1)
        fit "$wanted" | awk -v try=$try '{ exit !($2 <= 0.25 && try > 0) }' && break
    done
    fit "$wanted" >"$kept/share-$wanted"
}

run_equal() {
    gate --mode=sysread,sysread --baseline='sysread#1' --max-slowdown=2 --time-limit=2s
    keep equal "$status" $what "$took"
}
run_slower() {
    slowed "$(cut -d ' ' -f 1 $kept/share-5)" --max-slowdown=2 --time-limit=4500ms
    keep slower "$status" $what "$took"
}
run_allowed() {
    slowed "$(cut -d ' ' -f 1 $kept/share-3)" --max-slowdown=5 --time-limit=3s
    keep allowed "$status" $what "$took"
}

# Records a run, and compares the one of APART before with it.
last_record=0
run_compare() {
    local number
    number=$(measured compare)
    gate --mode=sysread,fread,mmap --baseline=sysread --time-limit=3s --trial-time=5ms
    mv $kept/last.json "$kept/run-$number.json"
    last_record=$SECONDS
    if [ "$number" -lt $APART ]; then
        keep compare - - -
        return
    fi
    local before=$kept/run-$((number - APART)).json after=$kept/run-$number.json verdict=0
    "$iobench" compare --json --quiet "$before" "$after" >$kept/last.json 2>/dev/null || verdict=$?
    [ "$verdict" -le 1 ] || { echo "gates: iobench compare ended with $verdict" >&2 && exit 3; }
    keep compare "$verdict" "$(jq '[.results[].metrics[] | select(.verdict == "same")] | length' $kept/last.json)" \
        "$(jq -n --slurpfile a "$before" --slurpfile b "$after" \
            '($b[0].started_at | fromdate) - ($a[0].started_at | fromdate)')"
}

# Two documents of 10,000 trials, made of the last round of a short run.
run_large() {
    gate --mode=sysread,fread --baseline=sysread --rounds=8 --trial-time=1ms
    jq -c '.results[].trials |= (.[-1] as $last | [.[0]] + [range(1; 5001) as $i | $last | .round = $i])' \
        $kept/last.json >$kept/large-1.json
    jq -c '.seed += 1' $kept/large-1.json >$kept/large-2.json
    keep large $(python3 - "$iobench" $kept/large-1.json $kept/large-2.json <<'PY'
import resource, subprocess, sys, time
began = time.monotonic()
status = subprocess.run([sys.argv[1], "compare", *sys.argv[2:]], stdout=subprocess.DEVNULL).returncode
took = time.monotonic() - began
print(status, "%.3f" % took, "%.1f" % (resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6))
PY
    )
    rm -f $kept/large-?.json
}

# verdict TITLE FIGURE TARGET GOOD
good=1
verdict() {
    printf '  %-34s %-44s target %s: %s\n' "$1" "$2" "$3" "$([ "$4" = 1 ] && echo reached || echo MISSED)"
    [ "$4" = 1 ] || good=0
}

# of PART PROGRAM: awk over its results, $2 the status, $3 to $5 the ratio, $6 rounds, $7 seconds.
of() {
    awk -v part="$1" '$1 == part { n++; ratio[n] = $3; if ($2 == 1) hits++; if ($7 > most) most = $7; all += $7 '"$2"' }
        function median(v, n,    i, j, t) {
            for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
            return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
        END { '"$3"' }' "$results"
}

# What was injected: by the references, and by the gates themselves.
injected() {
    awk -v p="$1" '{ printf "  (%s %% injected, by the references give or take %.2f %%", p, $2 }' "$kept/share-$1"
    of "$2" '' 'printf "; %.2f %% by the median of the gates)\n", (median(ratio, n) - 1) * 100'
}

summarize() {
    local n
    echo
    n=$(measured equal)
    [ "$n" = 0 ] || verdict "equal cases, 2 % allowed" \
        "$(of equal '' 'printf "%d false alarms in %d gates, %.1f s each", hits, n, all / n')" 'at most 2' \
        "$(of equal '' 'print (hits + 0 <= 2)')"
    n=$(measured slower)
    [ "$n" = 0 ] || {
        verdict "5 % slower, 2 % allowed" \
            "$(of slower '' 'printf "%d of %d found, the longest in %.1f s", hits, n, most')" '95 %, in 5 s' \
            "$(of slower '' 'print (hits >= 0.95 * n && most <= 5)')"
        injected 5 slower
    }
    n=$(measured allowed)
    [ "$n" = 0 ] || {
        verdict "3 % slower, 5 % allowed" "$(of allowed '' 'printf "%d regressions in %d gates", hits, n')" 'none' \
            "$(of allowed '' 'print (hits + 0 == 0)')"
        injected 3 allowed
    }
    n=$(measured compare)
    [ "$n" -le $APART ] || verdict "runs of the same code" "$(of compare '; if ($4 != "-") apart[++pairs] = $4' \
        'printf "%d false regressions in %d pairs, %d s apart", hits, pairs, median(apart, pairs)')" 'at most 1' \
        "$(of compare '' 'print (hits + 0 <= 1)')"
    n=$(measured large)
    [ "$n" = 0 ] || verdict "two documents of 10,000 trials" \
        "$(awk '$1 == "large" { printf "%.2f s, %.0f MB", $3, $4 }' "$results")" '1 s, 100 MB' \
        "$(awk '$1 == "large" { print ($3 < 1 && $4 < 100) }' "$results")"
}

# The part that is furthest behind, of those that take turns; nothing when all are done.
next_part() {
    local part
    for part in equal slower allowed; do
        wants $part || continue
        echo "$part $(measured $part) ${target[$part]}"
    done | awk '$2 < $3 && (best == "" || $2 / $3 < least) { best = $1; least = $2 / $3 } END { print best }'
}
compare_waits() {
    wants compare && [ "$(measured compare)" -lt "${target[compare]}" ]
}

if [ -e $kept/done ] || [ "$iobench" -nt "$results" ]; then
    rm -rf $kept
fi
mkdir -p $kept
touch $results
head -c $((12 << 20)) /dev/urandom | base64 -w 63 >"$file" # 16 MiB of text
trap 'rm -f "$file"' EXIT
trap 'summarize; exit 130' INT
trap 'summarize; exit 143' TERM
[ ! -s $results ] || echo "going on after $(wc -l <$results) results in $kept"

if wants large && [ "$(measured large)" = 0 ]; then run_large; fi
if wants slower; then share_of 5; fi
if wants allowed; then share_of 3; fi
last_record=-$SPACING
while part=$(next_part) && { [ -n "$part" ] || compare_waits; }; do
    if compare_waits && [ $((SECONDS - last_record)) -ge "$SPACING" ]; then
        run_compare
    elif [ -n "$part" ]; then
        run_"$part"
    else
        sleep 1
    fi
done
summarize
[ "$only" != 'equal slower allowed compare large' ] || touch $kept/done
[ $good = 1 ]
