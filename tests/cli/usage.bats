# The command line: what is refused, with which words, and what wins.

load common

setup() {
    cd "$BATS_TEST_TMPDIR"
    seq 1 1000 >file
}

# A usage error: exit 2, nothing on standard output, a message on standard error in house style.
refused() {
    iobench "$@" </dev/null
    status_is 2
    prints_nothing
    local line said
    mapfile -t said <"$ERR"
    for line in "${said[@]}"; do
        [[ $line == 'iobench: '* ]] || fail "not in house style: $line"
        [[ $line != *. ]] || fail "a full stop: $line"
    done
    [[ ${said[0]#iobench: } != [A-Z]* ]] || fail "not in lower case: ${said[0]}"
    [[ ${said[-1]} == "iobench: see 'iobench "*"help'" ]] || fail 'it does not say where help is'
}

dry_run() {
    iobench "$1" --dry-run "${@:2}"
    status_is 0
}

# --- sizes, times and numbers

@test "a size of 0, -1, nothing, 1x or 20 digits is refused" {
    for option in --block-size --bytes --stdio-buffer; do
        for size in 0 -1 '' 1x 99999999999999999999; do
            refused read --dry-run --mode=fread "$option=$size" file
            says "$option"
        done
    done
}

@test "an offset of -1, nothing, 1x or 20 digits is refused, 0 is the beginning" {
    for size in -1 '' 1x 99999999999999999999; do
        refused read --dry-run --mode=fread "--offset=$size" file
        says --offset
    done
    dry_run read --mode=fread --offset=0 file
}

@test "a refused size is named in the message" {
    refused read -b 1x file
    says "'1x'"
    refused read -b 99999999999999999999 file
    says "'99999999999999999999'"
    refused read -b 4k,1x,8k file
    says "'1x'"
}

@test "sizes that other tools would read in their own way are refused or exact" {
    for size in 1e3 0x10 ' 1' '1 ' +1 1,5 k 1kk 1.5 1..5 .5 5. 4k4 ١ nan inf; do
        refused read --dry-run --mode=sysread --bytes="$size" file
    done
    dry_run read --mode=sysread --bytes=1.5k file
    prints bytes=1536
}

@test "2G and 5G are exact" {
    dry_run read --mode=sysread -b 2G,4G,5G file
    for size in 2147483648 4294967296 5368709120; do
        prints "read/sysread/block_size=$size"
    done
    dry_run read --mode=sysread --bytes=5G --offset=5G file
    prints 'bytes=5368709120,offset=5368709120'
}

@test "units: k M G T are powers of 1024, kB MB GB of 1000" {
    sizes=(512=512 8k=8192 8K=8192 1M=1048576 1G=1073741824 1T=1099511627776 8KiB=8192 1MiB=1048576
        1GiB=1073741824 1kB=1000 1MB=1000000 1GB=1000000000 7B=7)
    for size in "${sizes[@]}"; do
        dry_run read --mode=sysread --bytes="${size%=*}" file
        prints "bytes=${size#*=}"
    done
}

@test "a block larger than memory fails cleanly" {
    (
        ulimit -v 4000000
        iobench read --json --quick --rounds=1 --trial-time=1ms --mode=sysread,mmap -b 64G file
        equal "$status" 3 'exit status'
    )
    is_report "$OUT"
    holds '.results[0] | .status == "failed" and (.reason | test("68719476736|memory"))'
    holds '.results[1].status == "ok"'
}

@test "sizes beyond what a file can have are refused" {
    for size in 8E 16E 9223372036854775808 18446744073709551615 18446744073709551616; do
        refused read --dry-run --mode=sysread --bytes=$size file
        refused read --dry-run --mode=sysread --offset=$size file
    done
    dry_run read --mode=sysread --bytes=9223372036854775807 file
    prints bytes=9223372036854775807
}

@test "numbers that are no counts are refused" {
    for option in --rounds --threads; do
        for number in 0 -1 '' 1.5 1x x 99999999999999999999; do
            refused read --dry-run --mode=sysread "$option=$number" file
            says "$option"
        done
    done
    for number in -1 '' 1.5 x 99999999999999999999; do
        refused read --dry-run --warmup="$number" file
        refused read --dry-run --seed="$number" file
    done
}

@test "seeds end below 2^53" {
    dry_run read --mode=sysread --seed=9007199254740991 file
    prints 9007199254740991
    refused read --seed=9007199254740992 file
}

@test "times that are none are refused" {
    for option in --time-limit --duration --trial-time --timeout; do
        for time in 0 -1 '' 1x x 5msec 99999999999999999999 99999999999h; do
            refused read --dry-run --mode=sysread "$option=$time" file
            says "$option"
        done
    done
}

@test "times take ns, us, ms, s, m and h, and fractions" {
    times=(5ms=5000000 10s=10000000000 1m=60000000000 1h=3600000000000 700us=700000 900ns=900
        0.5=500000000 2=2000000000 1.5s=1500000000 0.25ms=250000)
    for time in "${times[@]}"; do
        json read --quick --rounds=1 --trial-time=1us --mode=sysread --timeout="${time%=*}" file
        holds ".options.timeout_ns == ${time#*=}" .options.timeout_ns
    done
}

@test "percentages that are none are refused" {
    for option in --precision '--baseline=sysread --max-slowdown'; do
        for value in 0 -1 '' x 1x nan 100x; do
            refused read --dry-run --mode=sysread,pread $option="$value" file
        done
    done
    json read --quick --rounds=1 --trial-time=1us --mode=sysread,pread --baseline=sysread \
        --max-slowdown=2.5% --precision=0.25 file
    holds '.options.max_slowdown_ratio == 0.025 and .options.precision_ratio == 0.0025' .options
}

@test "a gate may allow up to eleven times the time, and no more" {
    for value in 100 250 1000; do
        iobench read --dry-run --mode=sysread,pread --baseline=sysread --max-slowdown=$value file
        status_is 0
    done
    for value in 1000.1 1001 10000; do
        refused read --dry-run --mode=sysread,pread --baseline=sysread --max-slowdown=$value file
        says "--max-slowdown: '$value' is out of range"
    done
}

@test "processors that are none are refused" {
    for list in 99999 x 0- -1 0,,1 1-0, '' 0, 18446744073709551616; do
        refused read --dry-run --cpu="$list" file
        says --cpu
    done
}

# --- words that are not known

@test "an unknown option is refused and named" {
    refused read --nonsense file
    says "'--nonsense'"
    refused read -Z file
    says "'-Z'"
    refused read file --nonsense=3
    says "'--nonsense'"
}

@test "an abbreviated option is refused, with the whole name" {
    for pair in mod=mode block=block-size round=rounds durat=duration base=baseline exp=export; do
        refused read "--${pair%=*}=1" file
        says "--${pair#*=}"
    done
    refused read --js file
    says --json
    refused read --dry file
    says --dry-run
}

@test "a mistyped option gets the one that was meant" {
    refused read --rouns=3 file
    says "'--rounds'"
    refused read --jsno file
    says "'--json'"
}

@test "words of other tools get a hint" {
    for pair in bs=--block-size iodepth=--threads runs=--rounds export-json=--export \
        ioengine=--mode runtime=--duration numjobs=--threads size=--bytes output=--export \
        setup=--prepare min-runs=--rounds; do
        refused read "--${pair%=*}=1" file
        says "'--${pair%=*}'"
        says "${pair#*=}"
    done
}

@test "an unknown command is refused, with the one that was meant" {
    refused reed file
    says "'reed'"
    says "'read'"
    refused sysraed
    says "'sysread'"
    refused lst
    says "'list'"
    refused frobnicate
    says "'frobnicate'"
    refute grep -q 'did you mean' "$ERR"
}

@test "a file in the place of the command gets the command that reads it" {
    refused file
    says 'iobench read file'
}

@test "no command at all is refused" {
    refused
    says 'no command'
}

@test "an unknown mode is refused and named" {
    refused read --mode=teleport file
    says "'teleport'"
    refused read --mode=sysread,teleport,mmap file
    says "'teleport'"
    refused read --mode=SYSREAD file
    says "'SYSREAD'"
}

@test "an empty element of a list is refused" {
    for list in sysread, ,sysread sysread,,mmap ,; do
        refused read --mode=$list file
    done
    for list in 4k, ,4k 4k,,8k ,; do
        refused read --mode=sysread --block-size=$list file
    done
}

@test "an unknown value is refused, with those that there are" {
    refused read --color=sometimes file
    says "'sometimes'"
    says always
    refused read --progress=often file
    says "'often'"
    refused read --consume=all file
    says "'all'"
}

@test "a switch takes no value, and other options need one" {
    for option in --json --quick --dry-run --quiet --strict; do
        refused read $option=yes file
        says "'$option'"
    done
    for option in --mode --rounds --block-size --prepare --label --export -m -b -r; do
        refused read file $option
        says "'$option'"
    done
}

# --- options that have no sense together

@test "--block-size is refused where no chosen strategy has one" {
    refused read --mode=mmap --block-size=4k file
    says --block-size
    refused read --mode=mmap,mmap-populate -b 4k file
    refused read --mode=getc -b 4k file
    dry_run read --mode=mmap,sysread --block-size=4k file
}

@test "--stdio-buffer is refused where no chosen strategy has one" {
    refused read --mode=sysread,mmap --stdio-buffer=4k file
    says --stdio-buffer
    dry_run read --mode=sysread,getc --stdio-buffer=4k file
}

@test "--max-slowdown without --baseline is refused" {
    refused read --max-slowdown=5 file
    says --baseline
}

@test "a baseline that is no case is refused, an ambiguous one with its candidates" {
    refused read --mode=sysread,mmap --baseline=getc file
    says "'getc'"
    refused read --mode=sysread,mmap -b 4k,8k --baseline=sysread file
    says block_size=4096
    says block_size=8192
    for name in mmap read/mmap block_size=8192 sysread/block_size=8192 read/sysread/block_size=8192; do
        dry_run read --mode=sysread,mmap -b 4k,8k --baseline=$name file
    done
}

@test "--duration and several rounds are refused together" {
    refused read --duration=1s --rounds=2 file
    says --duration
}

@test "--peer-cpu has no sense where there is no peer" {
    refused read --peer-cpu=0 file
    says --peer-cpu
}

@test "a label must have a key" {
    for label in word =value '' 'a b=c' ; do
        refused read --label="$label" file
    done
}

@test "--export with an unknown ending is refused, with the known ones" {
    for name in result.txt result result. .json json dir/.csv; do
        refused read --quick --rounds=1 --export=$name file
        says .csv
        [ ! -e $name ] || fail "$name was created"
    done
}

@test "--export into a missing directory is refused before anything is measured" {
    refused read --quick --rounds=1 --export=missing/result.json --prepare='touch prepared' file
    says "'missing/result.json': No such file or directory"
    [ ! -e prepared ] || fail 'something was run'
    mkdir directory.json
    refused read --quick --rounds=1 --export=directory.json --prepare='touch prepared' file
    says directory.json
}

@test "usage is looked at before files are opened" {
    refused read --mode=teleport missing
    refute grep -q missing "$ERR"
    mkfifo fifo # to open it would wait for ever
    refused read --rounds=x fifo
}

@test "more than a thousand cases are refused" {
    sizes=$(seq -s , 1 400)
    refused read --mode=sysread,pread,readv -b "$sizes" --dry-run file
    says cases
}

# --- what wins, what is added

@test "the last of repeated options wins" {
    json read --quick --rounds=9 --rounds=2 --trial-time=1h --trial-time=1us --seed=1 --seed=7 \
        --mode=sysread -b 4k -b 8k --timeout=1s --timeout=9s file
    holds '.options.rounds == 2 and .options.seed == 7 and .options.trial_time_ns == 1000
           and .options.timeout_ns == 9000000000' .options
    equal "$(query '[.results[].params.block_size] | tostring')" '[8192]'
}

@test "--mode adds up when it is repeated" {
    json read --quick --rounds=1 --trial-time=1us --mode=mmap --mode=sysread,getc file
    equal "$(query '[.results[].mode] | join(" ")')" 'mmap sysread getc'
}

@test "options may stand behind files, and short ones together" {
    json read file --quick --rounds=1 file --trial-time=1us -m sysread -b 4k -qv
    status_is 0
    holds '.source.files | length == 2'
    says_nothing
    iobench read file -qjm sysread --quick -r1 --trial-time=1us -b4k
    status_is 0
    is_report "$OUT"
    holds '.results[0].id == "read/sysread/block_size=4096"'
}

@test "behind -- everything is a file" {
    cp file -- --quick
    iobench read --quick --rounds=1 --trial-time=1us --mode=sysread --json file -- --quick
    status_is 0
    is_report "$OUT"
    holds '[.source.files[].path] == ["file", "--quick"]' .source
}

@test "a value may begin with a dash" {
    refused read --baseline -x --mode=sysread file
    says "'-x'"
}

@test "labels are recorded" {
    json read --quick --rounds=1 --trial-time=1us --mode=sysread --label=commit=abc --label=a.b=1=2 \
        --label=empty= file
    holds '.labels == {"commit": "abc", "a.b": "1=2", "empty": ""}' .labels
}

@test "the command line is recorded as it was" {
    json read --quick --rounds=1 --trial-time=1us --mode=sysread --label='odd=a "b"  c' file
    holds '.argv[-2:] == ["--label=odd=a \"b\"  c", "file"]' .argv
}

# --- help, version, list

@test "help of each command is on standard output, and no error" {
    iobench help
    status_is 0
    says_nothing
    prints 'usage: iobench'
    commands=$(sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' "$OUT")
    for command in read sysread stdio list help; do
        grep -qx $command <<<"$commands" || fail "help does not list $command"
    done
    for command in $commands; do
        iobench help $command
        status_is 0
        says_nothing
        prints "usage: iobench $command"
        help=$(cat "$OUT")
        for option in --help -h; do
            iobench $command $option
            status_is 0
            says_nothing
            equal "$(cat "$OUT")" "$help" "iobench $command $option"
        done
    done
}

@test "iobench --help and -h are help" {
    iobench help
    cp "$OUT" help
    for option in --help -h; do
        iobench $option
        status_is 0
        says_nothing
        cmp "$OUT" help
    done
}

@test "--help wins over whatever else is on the line" {
    iobench read --rounds=0 --mode=teleport --help missing
    status_is 0
    prints 'usage: iobench read'
}

@test "help of an unknown command is refused" {
    refused help frobnicate
    says "'frobnicate'"
}

@test "help fits 80 columns" {
    for command in help 'help read' 'help list'; do
        iobench $command
        refute grep -nE '^.{81}' "$OUT"
    done
}

@test "--version names the program, its libraries and features" {
    iobench --version
    status_is 0
    says_nothing
    grep -qE '^iobench [0-9]+\.[0-9]+' "$OUT"
    for name in jansson libevent xxHash argtable2 liburing; do
        prints $name
    done
    iobench read --version
    status_is 0
    grep -qE '^iobench [0-9]+\.[0-9]+' "$OUT"
}

@test "list shows every strategy with what it is" {
    iobench list
    status_is 0
    says_nothing
    for mode in sysread pread readv fread fread-unlocked getc getc-unlocked fgets getline mmap \
        mmap-populate; do
        grep -qE "^ +$mode  +[^ ]" "$OUT" || fail "list lacks $mode"
    done
    for group in all syscall stdio mapped; do
        grep -q "^groups:.*$group" "$OUT" || fail "list lacks group $group"
    done
    cp "$OUT" whole
    iobench list file
    status_is 0
    grep -q sysread "$OUT"
    refused list nonsense
    says "'nonsense'"
    refused list file more
}

# --- --dry-run

@test "a dry run names cases and their order, and runs nothing" {
    dry_run read --mode=sysread,getc -b 4k,8k --prepare='touch prepared' --export=result.json file
    prints 'read/sysread/block_size=4096'
    prints 'read/sysread/block_size=8192'
    prints 'read/getc'
    prints 'round 1:'
    [ ! -e prepared ] && [ ! -e result.json ] || fail 'something was run or written'
}

@test "a dry run makes no file and waits for no FIFO" {
    mkdir made
    TMPDIR=$PWD/made dry_run read
    [ -z "$(ls -A made)" ] || fail 'a file was made'
    mkfifo fifo
    dry_run read --mode=sysread fifo
}

@test "a dry run shows the order of the run with that seed" {
    dry_run read --quick --rounds=4 --trial-time=1us --mode=sysread,pread,readv,mmap --seed=99 file
    planned=$(sed -n 's/^ *round [0-9]*: //p' "$OUT")
    json read --quick --rounds=4 --trial-time=1us --mode=sysread,pread,readv,mmap --seed=99 file
    ran=$(query '[.results | to_entries[] | .key as $case | .value.trials[] | select(.warmup | not)
                  | {round, position, case: ($case + 1)}]
                 | group_by(.round)[] | sort_by(.position) | map(.case | tostring) | join(" ")')
    equal "$ran" "$planned" order
}

@test "a dry run of a missing file says so, and does not speak of another" {
    iobench read --dry-run missing
    status_is 3
    says "'missing': No such file or directory"
    refute grep -q 'made for the run' "$OUT"
}

@test "a dry run refuses what a run would refuse" {
    refused read --dry-run --mode=sysread /dev/zero
    mkfifo fifo
    refused read --dry-run fifo
    refused read --dry-run --mode=teleport file
}
