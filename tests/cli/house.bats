# The rules of the house: who may include whom, and what does not stand in the source.

load common

setup() {
    cd "$IOBENCH_SOURCE"
    BUILD=$(cd "$(dirname "$IOBENCH")" && pwd)
    FLAGS="-std=gnu11 -I$BUILD -Isrc $(pkg-config --cflags jansson libevent_core libxxhash 2>/dev/null || true)"
    pkg-config --exists liburing 2>/dev/null && FLAGS+=" $(pkg-config --cflags liburing)" || true
}

sources() {
    find src -name '*.[ch]' | sort
}

# code_lines PLACE: lines with their place, without those that are comment.
code_lines() {
    grep -rn '' "$1" --include='*.[ch]' | grep -vE '^[^:]*:[0-9]+: *(/\*|\*|//)'
}

# none WHAT: what comes on standard input is a list of offences.
none() {
    local found
    found=$(cat)
    [ -z "$found" ] || fail "$1:" "$found"
}

@test "each folder includes only what is below it" {
    below() {
        case $1 in
        base) ;;
        stats | strategy) echo base ;;
        measure) echo base stats ;;
        peer) echo base measure ;;
        family) echo base measure strategy peer ;;
        report) echo base stats measure ;;
        cli) echo base stats strategy measure peer family report ;;
        *) return 1 ;;
        esac
    }
    for folder in src/*/; do
        folder=$(basename "$folder")
        allowed=$(below "$folder") || fail "src/$folder has no place in the house"
        grep -rnoE '^ *# *include *"[^"]+"' "src/$folder" |
            grep -vE "\"($(echo $folder $allowed | tr ' ' '|'))/|\"config\.h\"" |
            none "src/$folder may include only: $allowed"
    done
}

@test "own headers are included by their path from src" {
    grep -rnE '^ *# *include *"[^/"]+"' src | grep -v '"config\.h"' | none 'includes without a folder'
    grep -rnE '^ *# *include *"\.' src | none 'relative includes'
}

@test "argtable2 is included in src/cli/options.c alone" {
    equal "$(grep -rlE '^ *# *include *[<"]argtable2\.h' src | xargs)" src/cli/options.c 'included in'
}

@test "config.h comes first in each source file, and in no header" {
    find src -name '*.c' | xargs awk '
        FNR == 1 { if (wants) print wants; wants = FILENAME }
        wants && /^ *# *include/ { if ($0 != "#include \"config.h\"") print FILENAME; wants = "" }
        END { if (wants) print wants }' | none 'config.h does not come first in'
    grep -rl 'config\.h' src --include='*.h' | none 'config.h stands in'
}

@test "each header compiles alone, and twice" {
    [ -e "$BUILD/config.h" ] || skip 'there is no build beside the program'
    # all in one run of the compiler a header, as many as there are processors at a time
    export CC FLAGS
    find src -name '*.h' | sort | xargs -P 2 -I {} sh -c '
        header=${1#src/}
        printf "#include \"config.h\"\n#include \"%s\"\n#include \"%s\"\n" "$header" "$header" |
            $CC $FLAGS -Wall -Werror -Wno-unused-function -fsyntax-only -x c - 2>&1 ||
            echo "$1 does not compile alone"' - {} | none 'headers'
}

@test "each header has a guard of its own name" {
    find src -name '*.h' | xargs awk '
        function check() { if (file != "" && has != 2) print file ": " guard }
        FNR == 1 {
            check(); file = FILENAME; has = 0; guard = toupper(substr(file, 5))
            gsub(/[\/.-]/, "_", guard); guard = "IOBENCH_" guard }
        $0 == "#ifndef " guard || $0 == "#define " guard { has++ }
        END { check() }' | none 'no guard'
}

@test "strategies see no clock but for the phases of opening and closing" {
    grep -rlE 'base/clock\.h|clock_gettime|gettimeofday|\btime *\(' src/strategy/*/ |
        grep -vx src/strategy/file/access.c | none 'clocks'
}

@test "strategies print nothing and start no thread" {
    code_lines src/strategy | grep -E '\b(printf|fprintf|puts|fputs|putchar|perror) *\(|\bstd(out|err)\b' |
        none 'they print'
    # but for the way of serving whose very subject threads are
    code_lines src/strategy | grep -v '^src/strategy/service/thread\.c:' | grep -E 'pthread_create|\bfork *\(|\bclone *\(|thrd_create' | none 'they start'
}

@test "threads begin in the harness alone" {
    grep -rlE 'pthread_create|thrd_create' src | grep -v '^src/measure/' |
        grep -vx src/strategy/service/thread.c | grep -v '^src/peer/' | none 'also in'
}

@test "only src/cli prints diagnostics and exits" {
    code_lines src | grep -v '^src/cli/' |
        grep -E '\b(exit|abort|perror|errx?|warnx?) *\(|fprintf *\( *stderr' | none 'elsewhere'
}

@test "JSON is built in src/report alone" {
    grep -rlE '\bjson_(object|array|pack|dump|load)[a-z_]* *\(' src | grep -v '^src/report/' | none 'also in'
}

@test "nothing mutable has the scope of a file but what a signal handler sets" {
    command -v nm >/dev/null || skip 'nm is not installed'
    objects=$(find "$BUILD/src" -name '*.o' 2>/dev/null)
    [ -n "$objects" ] || skip 'there are no objects beside the program'
    # variables that can be written to, statics of functions included (they are name.number)
    nm -A -f sysv $objects 2>/dev/null | awk -F '|' -v build="$BUILD/" '
        { gsub(/ /, "") }
        $4 == "OBJECT" && ($7 ~ /^\.(data|bss|tdata|tbss)/ || $7 == "*COM*") && $7 !~ /^\.data\.rel\.ro/ {
            source = substr($1, length(build) + 1); sub(/\.o:/, ".c ", source); print source }' |
        while read -r source name; do
            [ -e "$source" ] || continue # left over from another day
            case $name in __gcov* | __asan* | __odr_asan* | .L*) continue ;; esac
            grep -qE "volatile sig_atomic_t ${name%%.*}\b" "$source" || echo "$source: $name"
        done | none 'mutable variables'
}

@test "that test sees a mutable variable" {
    command -v nm >/dev/null || skip 'nm is not installed'
    echo 'static int counter; int next(void) { static int calls = 1; return counter++ + calls++; }' >"$BATS_TEST_TMPDIR/m.c"
    $CC -c -o "$BATS_TEST_TMPDIR/m.o" "$BATS_TEST_TMPDIR/m.c"
    equal "$(nm -f sysv "$BATS_TEST_TMPDIR/m.o" | awk -F '|' '
        { gsub(/ /, "") } $4 == "OBJECT" && $7 ~ /^\.(data|bss)/ { print $1 }' | wc -l)" 2 'variables seen'
}

@test "no file in src has more than 500 lines" {
    sources | xargs wc -l | awk '$2 != "total" && $1 > 500 { print $2 ": " $1 }' | none 'too long'
}

@test "nothing is left to do in the source" {
    local words='TO''DO|FIX''ME|XX''X:|HA''CK'
    for place in src tests man contrib README.md CONTRIBUTING.md NEWS configure.ac Makefile.am bootstrap; do
        [ ! -e $place ] || grep -rnE "\b($words)\b" $place --include='*' || true
    done | cut -c -160 | none 'left to do'
}

@test "no variable-length array, no tab and no trailing blank stands in src" {
    sources | xargs grep -nP '\t| +$' | cut -c -120 | none 'blanks'
    sources | xargs grep -lE '\balloca *\(' | none 'alloca'
}

@test "every source file is in Makefile.am, and every one there exists" {
    [ -e Makefile.am ] || skip 'no Makefile.am'
    comm -3 <(sources) <(grep -oE 'src/[a-z_0-9/-]+\.[ch]\b' Makefile.am | sort -u) | none 'here and not there, or the other way round'
}

@test "a strategy is one file of at most 150 lines" {
    awk 'function check() { if (has > 1 || (has && lines > 150)) print file ": " has " strategies, " lines " lines" }
        FNR == 1 { check(); file = FILENAME; has = 0 }
        { lines = FNR }
        /^const struct strategy strategy_/ { has++ }
        END { check() }' src/strategy/*/*.c | none 'strategies'
}

@test "every strategy of the registry has its file and the other way round" {
    listed=$(sed -n '/define STRATEGIES/,/^$/s/.*X(\([a-z_0-9]*\)).*/\1/p' src/strategy/registry.c | sort)
    written=$(grep -rhoE '^const struct strategy strategy_[a-z_0-9]+' src/strategy | sed 's/.*strategy_//' | sort)
    equal "$(xargs <<<"$listed")" "$(xargs <<<"$written")" 'strategies listed'
}
